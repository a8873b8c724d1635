/** Shows the reference, and tells the reader of ids that this browser cannot show exactly. */
const place = document.querySelector('#reference');
const notice = document.querySelector('#notice');

const description = new URL(place.dataset.description, location.href);

window.Scalar.createApiReference('#reference', {
  url: description.href,
  // The description may name its server relative to itself (OpenAPI 3.1, 4.8.5): here it is spelt out, for the samples.
  servers: [{ url: place.dataset.base || new URL('.', description).href.replace(/\/$/, '') }],
  customFetch: async (input, init) => {
    const response = await fetch(input, init);
    const isDescription = (input instanceof Request ? input.url : String(input)) === description.href;
    return isDescription ? new Response(legible(await response.text()), response) : response;
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
  authentication: { preferredSecurityScheme: 'bearerAuth' },
  onRequestBuilt: async ({ request }) => tell(`${request.url} ${await request.clone().text()}`, 'request'),
  onResponseReceived: async ({ response }) => tell(await response.clone().text(), 'answer'),
});

// The frame follows the reference's own switch between light and dark.
new MutationObserver(() => {
  document.documentElement.dataset.mode = document.body.classList.contains('dark-mode') ? 'dark' : 'light';
}).observe(document.body, { attributeFilter: ['class'] });

/** The description with the bounds of int64 in words, since the reference would show them as a double rounds them. */
function legible(text) {
  const reviver = (key, value, context) => {
    const isBound = (key === 'minimum' || key === 'maximum') && typeof value === 'number';
    if (isBound && !Number.isSafeInteger(value) && context?.source) return BigInt(context.source);
    if (typeof value?.minimum !== 'bigint' || typeof value.maximum !== 'bigint') return value;
    const { minimum, maximum, description: words = '', ...schema } = value;
    return { ...schema, description: `${words} From ${minimum} to ${maximum}.`.trim() };
  };
  return JSON.stringify(JSON.parse(text, reviver));
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
    `The id ${inexact} of this ${where} is beyond 2^53 - 1. The service keeps and answers it exactly; ` +
    'this page, as JavaScript does, may show or send it rounded. Use curl or another exact client for such ids.';
  notice.hidden = false;
}

function isExact(text) {
  return Number.isSafeInteger(Number(text)) || BigInt(text) === 0n;
}
