/** Runs before every other script, and before the browser paints the page. */

// A browser may store nothing: it blocks the data of sites, or its storage is full. The page and the reference then use
// memory instead, and the page warns its reader.
for (const name of ['localStorage', 'sessionStorage']) {
  Object.defineProperty(globalThis, name, { value: createStorage(read(name)), configurable: true, enumerable: true });
}

/** The storage of the browser; undefined if the browser has none or reading it throws. */
function read(name) {
  try {
    return globalThis[name] ?? warn();
  } catch {
    return warn();
  }
}

function warn() {
  document.documentElement.dataset.forgets = '';
}

/** What `stored` cannot keep is kept in memory until the page ends. */
function createStorage(stored) {
  const inMemory = new Map();
  const getItem = (key) => inMemory.get(String(key)) ?? stored?.getItem(key) ?? null;
  const removeItem = (key) => {
    inMemory.delete(String(key));
    stored?.removeItem(key);
  };
  const setItem = (key, value) => {
    // Even if there is no room for the new value, the old one must not come back after a reload.
    removeItem(key);
    try {
      if (stored !== undefined) return stored.setItem(key, value);
    } catch {
      warn();
    }
    inMemory.set(String(key), String(value));
  };
  return { getItem, setItem, removeItem };
}

// While the browser keeps a page for the way back, another page of this tab may change what both read at their start.
const readShared = () => `${sessionStorage.getItem('plant-store-token')} ${localStorage.getItem('colorMode')}`;
addEventListener('pagehide', () => {
  const before = readShared();
  const show = ({ persisted }) => persisted && before !== readShared() && location.reload();
  addEventListener('pageshow', show, { once: true });
});

// The guide uses the colour mode that the reader chose in the reference.
const chosen = localStorage.getItem('colorMode');
if (chosen === 'dark' || chosen === 'light') document.documentElement.dataset.mode = chosen;

// Otherwise Zod, a part of the reference, would try to evaluate text, which violates the Content-Security-Policy.
globalThis.__zod_globalConfig = { jitless: true };
