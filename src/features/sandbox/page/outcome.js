/** Explains in the response pane of the request form what a fault did to the response, and what a client should do. */
import { make } from './make.js';
import { newestNumber } from './requests.js';
import { events } from './sandbox.js';

const PANE = '[role="dialog"] section[aria-label="Response"]';
const CHOOSING = document.querySelector('#sandbox-drawer').dataset.choosing.split(' ');

/** The page's last request to the sandbox, until its record is found. `after`: the newest number before the request. */
let sent;
const box = make('div');
box.id = 'outcome';
box.setAttribute('role', 'status');

events.addEventListener('send', ({ detail }) => {
  sent = detail ? { ...detail, after: newestNumber() } : undefined;
  box.replaceChildren();
});

// The reference shows the response, and nothing if there is none. So the box is at the top of its pane.
events.addEventListener('request', ({ detail }) => {
  document.querySelector(`${PANE} .request-response-header`)?.after(box);
  // The record may have explained it before.
  if (detail.isLost && box.childElementCount === 0)
    show('No response', ['The connection was closed, or the service cannot be reached.']);
});

// Hides the reference's own message, which would cover the request, because the box explains more. Scalar also shows its
// message if it could not read the body of a response. Without a request to the sandbox the box is empty, and the
// message stays.
new MutationObserver(() => {
  if (sent === undefined && box.childElementCount === 0) return;
  for (const toast of document.querySelectorAll('[data-sonner-toast]:not([hidden])')) {
    toast.hidden = /^\s*(?:Failed to fetch|network error)\s*$/i.test(toast.textContent);
  }
}).observe(document.body, { childList: true, subtree: true });

/** Shows what the record tells about the page's last request. */
export function showOutcome(requests) {
  if (sent === undefined) return;
  const { method, target, after } = sent;
  // The base URL or a proxy may have added a prefix to the target.
  const isSent = (one) => one.number > after && one.method === method && one.target.endsWith(target);
  const found = requests.find((one) => isSent(one) && one.response !== 'pending');
  if (found === undefined) return;
  sent = undefined;
  if (found.fault !== undefined) show(...explain(found));
}

function show(title, sentences) {
  box.replaceChildren(make('strong', title), ...sentences.map((sentence) => make('p', sentence)));
  // In a narrow form the response is below the request.
  box.scrollIntoView({ block: 'nearest' });
}

/** The title and the sentences: what happened on purpose, what is stored, and what a client should do. */
function explain(request) {
  const { fault, status, milliseconds, response, method } = request;
  const kind = /^\w+/.exec(fault)[0];
  if (response === 'lost')
    return ['No response, on purpose', [`The fault “${fault}” closed the connection.`, stored(request), again(method)]];
  if (kind === 'truncate')
    return ['The response ended too early, on purpose', [stored(request), 'A client must notice this.', again(method)]];
  if (choosesResponse(fault)) {
    const sentences = [`The fault “${fault}” chose this response.`, stored(request), afterError(status, method)];
    return [`${status}, on purpose`, sentences];
  }
  if (kind === 'delay' || kind === 'slow') {
    const wait = 'A client should wait for a limited time only, and then send the same request again.';
    return ['A late response, on purpose', [`It took ${milliseconds} ms.`, stored(request), wait]];
  }
  return ['A fault, on purpose', [`The fault “${fault}” applied to this response.`, stored(request)]];
}

/** Whether the status in the record is that of the fault, not that of the operation. */
const choosesResponse = (fault) => CHOOSING.includes(/^\w+/.exec(fault)[0]);

/** Whether the request changed something. The record does not have the status that a fault replaced. */
function stored({ fault, status, error, method }) {
  if (method === 'GET' || method === 'HEAD') return 'The request reads only, so it changed nothing.';
  if (choosesResponse(fault) && /, after commit/.test(fault)) return 'The request was carried out first.';
  if (status >= 400 && status < 500 && !choosesResponse(fault))
    return `The service refused the request with ${status} / ${error}, so nothing was stored.`;
  if (!(status < 300)) return 'Nothing was stored: the request was not carried out.';
  return method === 'POST' ? 'The plant is stored.' : 'The change is stored.';
}

function again(method) {
  if (method === 'POST') return 'A client should send the same request again: no plant is stored twice.';
  if (method === 'GET' || method === 'HEAD') return 'A client should send the same request again.';
  return 'A client should read the plant, and send the request again if the plant is not as it should be.';
}

function afterError(status, method) {
  const isTemporary = status >= 500 || status === 408 || status === 429;
  if (!isTemporary) return 'A client should not repeat the request unchanged.';
  return `${again(method)} It should wait first, as long as Retry-After says.`;
}
