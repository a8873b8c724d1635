/** Lists the requests that the sandbox received, the newest first. */
import { make } from './make.js';
import { read } from './sandbox.js';

/** The service keeps this many. */
const MOST_SHOWN = 100;

const list = document.querySelector('#sandbox-requests');
let last;

/** Shows what is new in the record. Resolves to the new requests, oldest first, or to undefined if that failed. */
export async function pollRequests() {
  // The last known request is read again. If it is another one, the record was deleted, or the service was restarted.
  const found = await readAfter(last === undefined ? 0 : last.number - 1);
  if (found === undefined || last === undefined) return add(found);
  const [first, ...newer] = found;
  if (first?.number === last.number && first.at === last.at) return add(newer);
  clearRequests();
  return add(await readAfter(0));
}

export function clearRequests() {
  last = undefined;
  list.replaceChildren();
}

export const countRequests = () => list.children.length;

/** The request in one line, such as `POST /plants → 400 (40009) · 1 ms`. */
export function describe({ method, target, status, error, fault, response, milliseconds }) {
  const shown = error === undefined ? status : `${status} (${error})`;
  const parts = [`${method} ${target} → ${response === 'lost' ? 'no response' : shown}`, `${milliseconds} ms`];
  return [...parts, ...(fault ? [`fault: ${fault}`] : [])].join(' · ');
}

async function readAfter(after) {
  const response = await read(`/sandbox/requests?after=${after}`);
  return response?.json();
}

function add(requests) {
  for (const request of requests ?? []) {
    last = request;
    list.prepend(itemOf(request));
  }
  while (list.children.length > MOST_SHOWN) list.lastChild.remove();
  return requests;
}

function itemOf(request) {
  const item = make('li');
  const details = make('details');
  const summary = make('summary');
  const number = make('span', `#${request.number} `);
  number.className = 'number';
  summary.append(number, describe(request));
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
  if (response === 'lost') return `The fault closed the connection. The client did not get the response with ${sent}.`;
  return fault ? `The service sent ${sent}. The fault “${fault}” applied.` : `The service sent ${sent}.`;
}
