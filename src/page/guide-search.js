/** Searches the guide for sections that have all words of a text. */
const input = document.querySelector('#search');
const found = document.querySelector('#found');
const pages = document.querySelector('#pages');
const announced = document.querySelector('#said');
const MOST = 12;

let loading;
input.hidden = false;
input.addEventListener('input', async () => {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  found.hidden = words.length === 0;
  pages.hidden = !found.hidden;
  if (found.hidden) return;
  loading ??= load();
  const sections = await loading;
  // The reader may have typed more in the meantime.
  if (words.join() === input.value.toLowerCase().split(/\s+/).filter(Boolean).join())
    show(sections && best(sections, words));
});
input.addEventListener('keydown', ({ key, isComposing }) => {
  // An input method, for example for Japanese, uses the key to accept a word.
  if (key === 'Enter' && !isComposing && !found.hidden) found.querySelector('a')?.click();
});
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target.closest('input') || input.offsetParent === null) return;
  event.preventDefault();
  input.focus();
});

/** Resolves to the sections of all pages, or to undefined if the service cannot be reached now. */
async function load() {
  try {
    const response = await fetch(input.dataset.index);
    return await response.json();
  } catch {
    loading = undefined;
    return undefined;
  }
}

function best(sections, words) {
  return sections
    .map((section) => ({ section, score: scoreOf(section, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MOST)
    .map(({ section }) => section);
}

/** 0 if a word is missing. A word counts more in a heading, and at the beginning of a word. */
function scoreOf({ page, heading, text }, words) {
  const scores = words.map((word) => Math.max(9 * fits(heading, word), 6 * fits(page, word), fits(text, word)));
  return scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score);
}

function fits(text, word) {
  const lower = ` ${text.toLowerCase()}`;
  if (!lower.includes(word)) return 0;
  return lower.split(/[\s"'`(/]+/).some((one) => one.startsWith(word)) ? 2 : 1;
}

/** `sections`: undefined if they could not be loaded. */
function show(sections) {
  const nothing = sections === undefined ? 'The service cannot be reached. Try again later.' : 'Nothing found';
  if (sections?.length > 0) found.replaceChildren(...sections.map(itemOf));
  else found.replaceChildren(Object.assign(document.createElement('li'), { textContent: nothing }));
  announced.textContent = sections === undefined ? nothing : `${sections.length} sections found`;
}

function itemOf({ path, page, heading }) {
  const link = Object.assign(document.createElement('a'), { href: path, textContent: heading });
  if (heading !== page) link.append(Object.assign(document.createElement('small'), { textContent: page }));
  const item = document.createElement('li');
  item.append(link);
  return item;
}
