/** Lists the requests that the sandbox received, the newest first. */
import { make, removeOldest } from './make.js';
import { read } from './sandbox.js';

/** The service keeps this many. */
const MAX_SHOWN = 100;

const list = document.querySelector('#sandbox-requests');
/** The shown requests and their items, by number. */
const shown = new Map();

/** Shows what changed in the record. Resolves to the changed requests, oldest first, or to undefined if that failed. */
export async function pollRequests() {
  // The oldest request in progress, or else the newest one, is read again. If it is another one, the record was deleted,
  // or the service was restarted.
  const known = [...shown.values()].map(({ request }) => request);
  const again = known.find(isPending) ?? known.at(-1);
  const found = await readAfter(again === undefined ? 0 : again.number - 1);
  const isSame = found?.[0]?.number === again?.number && found?.[0]?.at === again?.at;
  if (found === undefined || again === undefined || isSame) return show(found);
  clearRequests();
  return show(await readAfter(0));
}

export function clearRequests() {
  shown.clear();
  list.replaceChildren();
}

const isPending = ({ response }) => response === 'pending';

/** 0 if no request is known. */
export const newestNumber = () => Math.max(0, ...shown.keys());

export const countRequests = () => list.children.length;

const ENDS = { lost: 'no response', pending: 'in progress', abandoned: 'the client left' };

/** The request in one line, such as `POST /plants → 400 (40009) · 1 ms`. */
export function describe({ method, target, status, error, fault, response, milliseconds }) {
  const sent = error === undefined ? status : `${status} (${error})`;
  const parts = [`${method} ${target} → ${ENDS[response] ?? sent}`, `${milliseconds} ms`];
  return [...parts, ...(fault ? [`fault: ${fault}`] : [])].join(' · ');
}

async function readAfter(after) {
  const response = await read(`/sandbox/requests?after=${after}`);
  return response?.json();
}

function show(requests) {
  return requests?.filter(update);
}

/** Whether there was something new to show of a request. */
function update(request) {
  const { number } = request;
  const before = shown.get(number);
  if (before !== undefined && (isPending(request) || !isPending(before.request))) return false;
  const item = itemOf(request);
  shown.set(number, { request, item });
  if (before === undefined) list.prepend(item);
  else before.item.replaceWith(item);
  removeOldest(shown, MAX_SHOWN);
  return true;
}

function itemOf(request) {
  const item = make('li');
  const details = make('details');
  const summary = make('summary');
  summary.append(make('span', `#${request.number} `, 'number'), describe(request));
  details.append(summary, make('pre', headAndBody(request)), make('p', explain(request)));
  details.dataset.status = request.response ?? `${request.status}`[0];
  item.append(details);
  return item;
}

function headAndBody({ method, target, headers, body }) {
  const head = [`${method} ${target}`, ...headers.map(({ name, value }) => `${name}: ${value}`)].join('\n');
  return body ? `${head}\n\n${body}` : head;
}

function explain({ status, error, fault, response }) {
  const sent = error === undefined ? `status ${status}` : `status ${status} and error ${error}`;
  if (response === 'pending') return 'The service has not responded yet.';
  if (response === 'abandoned') {
    const carriedOut = status === undefined ? 'The request was not carried out.' : `The service sent ${sent} too late.`;
    return `The client left before the response. ${carriedOut}`;
  }
  if (response === 'lost') return `The fault closed the connection. The client did not get the response with ${sent}.`;
  return fault ? `The service sent ${sent}. The fault “${fault}” applied.` : `The service sent ${sent}.`;
}
