/** The sandbox of this tab, and the requests that are sent with its token. */

/** Keys in the storage of this tab: the token that the reference fills in, and the sandbox. */
const KEPT_TOKEN = 'plant-store-token';
const KEPT = 'plant-store-sandbox';
const GONE = 'The service no longer has your sandbox: it expired, it was deleted, or the service was restarted.';
const UNREACHABLE = 'The service cannot be reached. Try again later.';

/** A request that only reads gets no fault of the sandbox, and the record of requests leaves it out. */
const WATCHING = { Fault: 'none' };

// `given`: in a demo the page contains the token of a sandbox that never expires.
const { base, token: given } = document.querySelector('#reference').dataset;
// The reference sends its requests to the base URL, if there is one, wherever the page was opened.
const root = new URL(base || '.', location.href).href.replace(/\/$/, '');
const plainFetch = window.fetch.bind(window);
/** The tokens of all sandboxes that this tab had. The reference may still fill in the token of an ended sandbox. */
const ownTokens = new Set(given ? [given] : []);
let sandbox = given ? { token: given } : readKept();
let creating;
/** How far the clock of the service is ahead of the browser's, in milliseconds. */
let ahead = 0;

/**
 * Events: `change` when the page gets or loses its sandbox, `message` with a text, `send` before each request of the
 * reference, `send` with its method and target and `request` before and after a request to the sandbox, `news` if
 * something happened in the sandbox, `reset` if a client reset it, `open` to open the drawer.
 */
export const events = new EventTarget();

export const hasSandbox = () => sandbox !== undefined;

/** The milliseconds until the sandbox expires; undefined if it never does. */
export const timeLeft = () => (sandbox?.expiresAt ? Date.parse(sandbox.expiresAt) - Date.now() - ahead : undefined);

/**
 * Reads the time of the service from the field Date. A page of another origin than the base URL cannot read the field,
 * so it trusts the clock of the browser.
 */
function readClock({ headers }) {
  // Date has whole seconds, rounded down.
  if (headers.has('Date')) ahead = Date.parse(headers.get('Date')) + 1_000 - Date.now();
}

/** `isUntilRequest`: whether the next request makes the text out of date. */
export function say(text, isUntilRequest = false) {
  tell('message', { text, isUntilRequest });
}

export function tell(name, detail) {
  events.dispatchEvent(new CustomEvent(name, { detail }));
}

function readKept() {
  // Another program on this host may have written anything there. The panel then starts without a sandbox.
  let kept;
  try {
    kept = JSON.parse(sessionStorage.getItem(KEPT) ?? 'null');
  } catch {
    return undefined;
  }
  if (typeof kept?.token !== 'string') return undefined;
  ownTokens.add(kept.token);
  return kept;
}

/**
 * Resolves to a successful response. Says the message of any other response and resolves to undefined. Says so and
 * rejects if there was no response of the service.
 */
export async function send(method, path, body) {
  try {
    const response = await control(path, { method, body: body && JSON.stringify(body) });
    if (response.ok) return response;
    // A proxy that does not reach the service may respond without JSON.
    if (hasSandbox()) say((await response.json()).message);
    return undefined;
  } catch (error) {
    say(UNREACHABLE, true);
    throw error;
  }
}

/** Resolves to a successful response, or to undefined. The page reads often, so it does not say why it failed. */
export async function read(path) {
  const response = await control(path, { headers: WATCHING });
  return response.ok ? response : undefined;
}

/** Resolves to the response of a stream of events, behind the event `last` if it is given. */
export function openStream(path, last, signal) {
  const resumed = last === undefined ? {} : { 'Last-Event-ID': last };
  return control(path, { signal, headers: { ...WATCHING, Accept: 'text/event-stream', ...resumed } });
}

/** Forgets the sandbox if the service no longer has it. */
async function control(path, init) {
  const { token } = sandbox;
  const headers = { 'Content-Type': 'application/json', ...init.headers, Authorization: `Bearer ${token}` };
  const response = await plainFetch(root + path, { ...init, headers });
  readClock(response);
  if (response.status === 401 && !given && sandbox?.token === token) forget();
  return response;
}

/** Reads JSON. An id becomes a text, since a number may be beyond the exact range of JavaScript. */
export function parse(text) {
  return JSON.parse(text, (key, value, context) => (key === 'id' ? (context?.source ?? String(value)) : value));
}

// The reference sends its requests with fetch. A request without a token gets the sandbox's token.
window.fetch = async (input, init) => {
  tell('send');
  const request = new Request(input, init);
  const isOperation = request.url.startsWith(`${root}/plants`) && request.method !== 'OPTIONS';
  const token = /^Bearer\s+(\S+)/.exec(request.headers.get('Authorization') ?? '')?.[1];
  if (!isOperation || (token !== undefined && !ownTokens.has(token))) return plainFetch(request);
  const again = request.clone();
  let response = await sendOwn(request);
  if (response.status === 401 && !given) {
    // A fault may have caused the 401, but no fault applies to /sandbox. The page may know already that it is gone.
    if (hasSandbox()) await read('/sandbox');
    if (!hasSandbox()) response = await sendOwn(again);
  }
  return response;
};

async function sendOwn(request) {
  const { token } = sandbox ?? (await create());
  request.headers.set('Authorization', `Bearer ${token}`);
  // The sandbox does not record the page's own reading.
  if (request.headers.get('Fault') === 'none') return plainFetch(request);
  const { method, url } = request;
  tell('send', { method, target: url.slice(root.length) });
  let isLost = true;
  try {
    const response = await plainFetch(request);
    isLost = false;
    return response;
  } finally {
    tell('request', { isLost });
  }
}

function create() {
  creating ??= createOnce().finally(() => {
    creating = undefined;
  });
  return creating;
}

async function createOnce() {
  const response = await plainFetch(`${root}/sandboxes`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ plants: 'garden' }),
  });
  readClock(response);
  const created = await response.json();
  if (response.status !== 201) {
    say(created.message);
    throw new TypeError(created.message);
  }
  sessionStorage.setItem(KEPT, JSON.stringify(created));
  sessionStorage.setItem(KEPT_TOKEN, created.token);
  const isAnother = ownTokens.size > 0;
  ownTokens.add(created.token);
  sandbox = created;
  fillIn(created.token);
  tell('change');
  if (isAnother) say(`${GONE} You have another one now, with the initial plants.`);
  return created;
}

/** Reads when the sandbox expires: its first use extends its life. */
export async function readExpiry() {
  const response = await read('/sandbox');
  if (response === undefined || given) return;
  sandbox = { ...sandbox, expiresAt: (await response.json()).expiresAt };
  sessionStorage.setItem(KEPT, JSON.stringify(sandbox));
}

/** Fills in each field for a token, as if the user had typed. */
function fillIn(token) {
  for (const field of document.querySelectorAll('#reference input[placeholder="Token"]')) {
    field.value = token;
    field.dispatchEvent(new Event('input', { bubbles: true }));
  }
}

function forget() {
  if (sessionStorage.getItem(KEPT_TOKEN) === sandbox?.token) {
    sessionStorage.removeItem(KEPT_TOKEN);
    document.querySelector('#curl-token').textContent = 'TOKEN';
  }
  sessionStorage.removeItem(KEPT);
  sandbox = undefined;
  tell('change');
  say(`${GONE} Your next request creates another one.`);
}
