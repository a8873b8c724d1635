/** Shows the reference, and warns about ids that this browser cannot show exactly. */
const place = document.querySelector('#reference');
const notice = document.querySelector('#notice');
const needToken = document.querySelector('#need-token');
const create = document.querySelector('#create');
const tokenOfCommand = document.querySelector('#curl-token');

const description = new URL(place.dataset.description, location.href);
const guide = JSON.parse(place.dataset.guide);
const root = place.dataset.base || new URL('.', description).href.replace(/\/$/, '');

/** The key in the storage of this tab. It keeps a token that the reader typed, so that it survives a reload. */
const KEPT = 'plant-store-token';
const token = place.dataset.token || sessionStorage.getItem(KEPT) || '';
document.querySelector('#curl-address').textContent = root;
useToken(token);

/** Puts the token of the reader into the command. */
function useToken(own) {
  needToken.hidden = own !== '';
  tokenOfCommand.textContent = own || 'TOKEN';
}

window.Scalar.createApiReference('#reference', {
  url: description.href,
  // The description may have a relative address of its server (OpenAPI 3.1, 4.8.5). The samples need the whole address.
  servers: [{ url: root }],
  customFetch: async (input, init) => {
    const response = await fetch(input, init);
    const isDescription = (input instanceof Request ? input.url : String(input)) === description.href;
    return isDescription ? new Response(adaptDescription(await response.text()), response) : response;
  },
  // The page has links to the description itself, without the changes of `adaptDescription`.
  documentDownloadType: 'none',
  // The page uses no fonts, proxy, telemetry or assistant of other hosts.
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  persistAuth: false,
  theme: 'default',
  customCss: 'body { --scalar-font: system-ui, sans-serif; --scalar-font-code: ui-monospace, monospace }',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  defaultOpenAllTags: true,
  authentication: { preferredSecurityScheme: 'bearerAuth', securitySchemes: { bearerAuth: { token } } },
  onSidebarClick: openGuide,
  onRequestBuilt: async ({ request }) =>
    warnOfLongIds(`${new URL(request.url).pathname} ${await request.clone().text()}`, 'request'),
  onResponseReceived: async ({ response }) => {
    showResponse();
    warnOfLongIds(await response.clone().text(), 'response');
  },
});

/**
 * The reference contains only the titles of the guide's pages. The place of such a title opens the page itself, from the
 * sidebar, from the search and from an address.
 */
function openGuide(address) {
  const { hash } = new URL(address, location.href);
  const page = guide.find(({ title }) => hash === `#tag/${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`);
  // Later, so that the guide replaces the new address in the history, and Back leads to the reference.
  if (page !== undefined) setTimeout(() => location.replace(page.path));
}
// The search changes the address without a click.
window.navigation?.addEventListener('navigate', ({ destination }) => openGuide(destination.url));
openGuide(location.href);

// Both fields for a token, in the page and in the form, have this placeholder.
document.addEventListener('input', ({ target }) => {
  if (!target.matches('input[placeholder="Token"]') || place.dataset.token) return;
  sessionStorage.setItem(KEPT, target.value);
  useToken(target.value);
});

// A button of the reference opens the form of an operation. It appears once the operation has scrolled into view.
create.disabled = false;
create.addEventListener('click', async () => {
  location.hash = '#tag/plants/POST/plants';
  const [button, ids] = await Promise.all([
    waitFor('.show-api-client-button[method="post"]'),
    readIds().catch(() => new Set()),
  ]);
  button.click();
  useFreeId(await waitFor('[role="dialog"] .cm-content'), ids);
});

/** The service returns at most this many plants in a page. */
const MAX_IDS = 1_000;

/** The ids of the first plants. Without a token there are none. No fault applies, and no record has the request. */
async function readIds() {
  const token = place.dataset.token || sessionStorage.getItem(KEPT);
  if (!token) return new Set();
  const headers = { Authorization: `Bearer ${token}`, Fault: 'none' };
  const response = await fetch(`${root}/plants?limit=${MAX_IDS}`, { headers });
  const found = response.ok ? (await response.text()).matchAll(/"id":(-?\d+)/g) : [];
  return new Set([...found].map(([, id]) => id));
}

/** If the id in the form is taken, replaces it, since a plant that is stored already would show nothing new. */
function useFreeId(editor, ids) {
  // CodeMirror's own `EditorView.findFromDOM` does the same. The bundle does not export it.
  const { view } = editor.cmView.rootView;
  const found = /(?<="id": *)\d+/.exec(view.state.doc.toString());
  if (found === null || !ids.has(found[0])) return;
  const { 0: id, index: from } = found;
  // Beyond these plants, the time is hardly ever an id.
  let free = BigInt(ids.size < MAX_IDS ? id : Date.now());
  while (ids.has(String(free))) free++;
  view.dispatch({ changes: { from, to: from + id.length, insert: String(free) } });
}

function waitFor(selector) {
  return new Promise((resolve) => {
    const look = () => {
      const found = document.querySelector(selector);
      if (found === null) return;
      observer.disconnect();
      resolve(found);
    };
    const observer = new MutationObserver(look);
    observer.observe(document.body, { childList: true, subtree: true });
    look();
  });
}

/** Scrolls to the response, which is below the request on a narrow screen. */
function showResponse() {
  const heading = document.querySelector('[role="dialog"] .response-heading');
  heading?.closest('section')?.scrollIntoView({ block: 'start' });
}

// The frame follows the reference's own switch between light and dark.
new MutationObserver(() => {
  document.documentElement.dataset.mode = document.body.classList.contains('dark-mode') ? 'dark' : 'light';
}).observe(document.body, { attributeFilter: ['class'] });

/**
 * Changes the description for the reference. The bounds of int64 become words, since the reference would round them to
 * doubles. The guide's pages become tags, so that the search of the reference finds them.
 */
function adaptDescription(text) {
  const reviver = (key, value, context) => {
    const isBound = (key === 'minimum' || key === 'maximum') && typeof value === 'number';
    if (isBound && !Number.isSafeInteger(value) && context?.source) return BigInt(context.source);
    if (typeof value?.minimum !== 'bigint' || typeof value.maximum !== 'bigint') return value;
    const { minimum, maximum, description: words = '', ...schema } = value;
    return { ...schema, description: `${words} From ${minimum} to ${maximum}.`.trim() };
  };
  const shown = JSON.parse(text, reviver);
  const pages = guide.map(({ title }) => ({ name: title, description: 'A page of the guide.' }));
  const names = (tags) => tags.map(({ name }) => name);
  shown['x-tagGroups'] = [
    { name: 'Operations', tags: names(shown.tags) },
    { name: 'Guide', tags: names(pages) },
  ];
  shown.tags = [...shown.tags, ...pages];
  return JSON.stringify(shown);
}

/** A number in JSON or in a path that may be an integer beyond the exact range of a double. */
const LONG_INTEGER = /(?<![\w.-])-?\d{16,}(?![\w.])/g;

/** A text in JSON, such as a name. Its digits stay as they are. */
const TEXT = /"(?:[^"\\]|\\.)*"/g;

function warnOfLongIds(text, where) {
  const inexact = text
    .replaceAll(TEXT, '""')
    .match(LONG_INTEGER)
    ?.find((found) => !isExact(found));
  if (inexact === undefined) {
    if (where === 'request') notice.hidden = true;
    return;
  }
  notice.textContent =
    `The id ${inexact} of this ${where} is beyond 2^53 - 1. The service stores and returns it exactly, ` +
    'but this page may show or send a rounded id, since JavaScript rounds it. Use curl or another exact client.';
  notice.hidden = false;
}

function isExact(text) {
  return Number.isSafeInteger(Number(text)) || BigInt(text) === 0n;
}
