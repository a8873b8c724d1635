/** Lists the events of the sandbox while the page is visible, the newest first. */
import { readBlocks } from './event-stream.js';
import { make } from './make.js';
import { events, hasSandbox, openStream, parse, tell } from './sandbox.js';

const MAX_SHOWN = 100;
/** Milliseconds without any line after which the connection counts as lost. The service writes one every 15 seconds. */
const LONGEST_SILENCE = 40_000;

/** The path of the feed; empty if the service has none. */
const path = document.querySelector('#reference').dataset.events;
const list = document.querySelector('#sandbox-events');
const note = document.querySelector('#sandbox-events-note');
/** The cursor of the newest shown event. The stream begins with the oldest event if there is none. */
let last;
/** Milliseconds until the page connects again. The stream may change it. */
let retry = 1_000;
let connection = new AbortController();

/** A hidden page has no stream: a browser has only six connections to a service without HTTP/2. */
function connect() {
  connection.abort();
  if (path === '' || !hasSandbox() || document.hidden) return;
  connection = new AbortController();
  void follow(connection.signal);
}

async function follow(signal) {
  while (!signal.aborted) {
    // If the service cannot be reached, the next stream continues behind the last event.
    const pause = await readStream(signal).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, pause ?? retry));
  }
}

/** Resolves when the stream ends, to the milliseconds that the service wants the page to wait, if it wants any. */
async function readStream(signal) {
  const silence = new AbortController();
  const lose = () => silence.abort();
  let timer = setTimeout(lose, LONGEST_SILENCE);
  try {
    const response = await openStream(path, last, AbortSignal.any([signal, silence.signal]));
    if (!response.ok) return await refused(response);
    explain('');
    for await (const block of readBlocks(response.body)) {
      clearTimeout(timer);
      timer = setTimeout(lose, LONGEST_SILENCE);
      if (signal.aborted) return undefined;
      if (block.retry !== undefined) retry = Number(block.retry);
      if (block.data === undefined) continue;
      last = block.id;
      const event = parse(block.data);
      show(event, block.id);
      // The record of requests leaves out a reset, so the record would not make the page read the plants again.
      tell(event.type === 'store.reset' ? 'reset' : 'news');
    }
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

async function refused(response) {
  const { error, message } = await response.json();
  // The events after the cursor are gone, or the service has another database.
  if (error === 41000 || error === 40006) clear();
  else explain(message);
  return 1_000 * Number(response.headers.get('Retry-After')) || undefined;
}

/** A screen reader would read a text again that replaces itself. */
function explain(text) {
  if (note.textContent !== text) note.textContent = text;
}

/** The item of an event; null if the list has none. `id`: the event's id, which is its cursor. */
export const findEvent = (id) => list.querySelector(`[data-event="${CSS.escape(id)}"]`);

function show(event, id) {
  const item = itemOf(event);
  item.dataset.event = id;
  list.prepend(item);
  if (list.children.length > MAX_SHOWN) list.lastChild.remove();
}

function clear() {
  last = undefined;
  explain('');
  list.replaceChildren();
}

function itemOf({ sequence, type, timestamp, data }) {
  const item = make('li');
  const time = make('time', new Date(timestamp).toTimeString().slice(0, 8));
  time.dateTime = timestamp;
  item.append(make('span', `#${sequence} `, 'number'), `${type} · `, time);
  if (type === 'store.reset') item.append(make('p', 'All plants were replaced.'));
  else item.append(make('p', [data.id, data.name, data.tag].filter((part) => part !== undefined).join(' · ')));
  if (data.previousName !== undefined)
    item.append(make('p', `before: ${data.previousName} · ${data.previousTag ?? 'no tag'}`, 'before'));
  return item;
}

function showFeed() {
  clear();
  document.querySelector('#sandbox .events').hidden = path === '' || !hasSandbox();
  connect();
}

events.addEventListener('change', showFeed);
document.addEventListener('visibilitychange', connect);
showFeed();
