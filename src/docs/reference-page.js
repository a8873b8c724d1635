/** Shows the reference, and tells the reader of ids that this browser cannot show exactly. */
const place = document.querySelector('#reference');
const notice = document.querySelector('#notice');

const needToken = document.querySelector('#need-token');
const create = document.querySelector('#create');

const description = new URL(place.dataset.description, location.href);
const guide = JSON.parse(place.dataset.guide);

/** A typed token is kept for this tab alone, so that it survives a reload; a given one is no secret. */
const KEPT = 'plant-store-token';
const token = place.dataset.token || sessionStorage.getItem(KEPT) || '';
needToken.hidden = token !== '';

window.Scalar.createApiReference('#reference', {
  url: description.href,
  // The description may name its server relative to itself (OpenAPI 3.1, 4.8.5): here it is spelt out, for the samples.
  servers: [{ url: place.dataset.base || new URL('.', description).href.replace(/\/$/, '') }],
  customFetch: async (input, init) => {
    const response = await fetch(input, init);
    const isDescription = (input instanceof Request ? input.url : String(input)) === description.href;
    return isDescription ? new Response(readable(await response.text()), response) : response;
  },
  // The description itself, not what the reference made of it.
  documentDownloadType: 'direct',
  // Nothing leaves this host: no fonts, no proxy, no measuring, no assistant.
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
  // Of a page of the guide the reference has no more than its title.
  onSidebarClick: (address) => {
    const anchor = new URL(address, location.href).hash;
    const page = guide.find(({ title }) => anchor === `#tag/${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`);
    if (page !== undefined) location.assign(page.path);
  },
  onRequestBuilt: async ({ request }) => tell(`${request.url} ${await request.clone().text()}`, 'request'),
  onResponseReceived: async ({ response }) => {
    showResponse();
    tell(await response.clone().text(), 'response');
  },
});

// Of the fields for a token, in the page and in the form, each has this placeholder.
document.addEventListener('input', ({ target }) => {
  if (!target.matches('input[placeholder="Token"]') || place.dataset.token) return;
  sessionStorage.setItem(KEPT, target.value);
  needToken.hidden = target.value !== '';
});

// The reference's own link would show the description in place of the page.
document.addEventListener('click', ({ target }) => {
  const link = target.closest('#reference a');
  if (link?.href === description.href) link.download = 'openapi.json';
});

/** The form of an operation opens by a button of the reference, which is there once the operation was scrolled to. */
create.disabled = false;
create.addEventListener('click', async () => {
  location.hash = '#tag/plants/POST/plants';
  (await appeared('.show-api-client-button[method="post"]')).click();
});

function appeared(selector) {
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

/** On a narrow screen the response is below the request, out of sight. */
function showResponse() {
  const heading = document.querySelector('[role="dialog"] .response-heading');
  heading?.closest('section')?.scrollIntoView({ block: 'start' });
}

// The frame follows the reference's own switch between light and dark.
new MutationObserver(() => {
  document.documentElement.dataset.mode = document.body.classList.contains('dark-mode') ? 'dark' : 'light';
}).observe(document.body, { attributeFilter: ['class'] });

/**
 * The description with the bounds of int64 in words, since the reference would show them as a double rounds them, and with
 * the guide's pages as tags, so that its search finds them.
 */
function readable(text) {
  const reviver = (key, value, context) => {
    const isBound = (key === 'minimum' || key === 'maximum') && typeof value === 'number';
    if (isBound && !Number.isSafeInteger(value) && context?.source) return BigInt(context.source);
    if (typeof value?.minimum !== 'bigint' || typeof value.maximum !== 'bigint') return value;
    const { minimum, maximum, description: words = '', ...schema } = value;
    return { ...schema, description: `${words} From ${minimum} to ${maximum}.`.trim() };
  };
  const shown = JSON.parse(text, reviver);
  const pages = guide.map(({ title, path }) => ({ name: title, description: `[${title}](${path}), in the guide.` }));
  const names = (tags) => tags.map(({ name }) => name);
  shown['x-tagGroups'] = [
    { name: 'Operations', tags: names(shown.tags) },
    { name: 'Guide', tags: names(pages) },
  ];
  shown.tags = [...shown.tags, ...pages];
  return JSON.stringify(shown);
}

/** A number of JSON, or the last segment of a path, that may be an integer beyond what a double holds exactly. */
const LONG_INTEGER = /(?<![\w.-])-?\d{16,}(?![\w.])/g;

function tell(text, where) {
  const inexact = text.match(LONG_INTEGER)?.find((found) => !isExact(found));
  if (inexact === undefined) {
    if (where === 'request') notice.hidden = true;
    return;
  }
  notice.textContent =
    `The id ${inexact} of this ${where} is beyond 2^53 - 1. The service stores and returns it exactly; ` +
    'this page, as JavaScript does, may show or send it rounded. Use curl or another exact client for such ids.';
  notice.hidden = false;
}

function isExact(text) {
  return Number.isSafeInteger(Number(text)) || BigInt(text) === 0n;
}
