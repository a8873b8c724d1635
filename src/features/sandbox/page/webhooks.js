/** Makes a webhook to an inbox, and shows what arrives there beside the events. */
import { findEvent } from './feed.js';
import { make, removeOldest } from './make.js';
import { events, hasSandbox, read, send, tell } from './sandbox.js';

/** The service keeps this many. */
const MAX_SHOWN = 100;
/** The shortest time between two reads, in milliseconds. */
const SHORTEST_PAUSE = 1_000;

/** The path of the webhooks; empty if the service has none. */
const path = document.querySelector('#reference').dataset.webhooks;
const find = (selector) => document.querySelector(`#sandbox ${selector}`);
const secret = find('#sandbox-secret');
/** The id of the webhook, if it is known and there is one. */
let webhook;
let isKnown = false;
/** Counts what makes an older search for the inbox void. */
let changes = 0;
/** The shown deliveries by number, oldest first. */
const shown = new Map();
let readAt = 0;

// While the drawer is closed, this button stands above the reference.
const start = make('div', '', 'start-webhook');
start.append(makeButton(), make('p', 'It delivers each event to an inbox on this page, signed.'));
document.querySelector('#create').parentElement.after(start);
find('#sandbox-no-inbox').prepend(makeButton());

function makeButton() {
  const button = make('button', 'Make a webhook');
  button.type = 'button';
  listen(button, async () => {
    const response = await send('POST', path, { description: 'The inbox of the page' });
    if (response === undefined) return;
    const { id, secret } = await response.json();
    use(id);
    showSecret(secret, 'This is the secret of the webhook. It is shown only once.');
    tell('open');
    find('.events').scrollIntoView({ block: 'start' });
    find('#sandbox-inbox').focus({ preventScroll: true });
  });
  return button;
}

listen(find('#sandbox-send-test'), async () => {
  if ((await send('POST', `${path}/${webhook}/test`)) === undefined) return;
  readAt = 0;
  tell('news');
});

listen(find('#sandbox-rotate'), async () => {
  const response = await send('POST', `${path}/${webhook}/secret`);
  if (response === undefined) return;
  const { secret, previousUntil } = await response.json();
  const until = new Date(previousUntil).toLocaleString();
  const previous = `Until ${until}, messages also have a signature by the old secret.`;
  showSecret(secret, `This is the new secret. It is shown only once. ${previous}`);
});

listen(find('#sandbox-delete-webhook'), async () => {
  if ((await send('DELETE', `${path}/${webhook}`)) === undefined) return;
  // There may be another inbox.
  forget();
  await findInbox();
  find(webhook === undefined ? '#sandbox-no-inbox button' : '#sandbox-inbox').focus();
});

/** Ignores a click while an earlier one is under way. A disabled button would lose the focus. */
function listen(button, run) {
  let isBusy = false;
  button.addEventListener('click', async () => {
    if (isBusy) return;
    isBusy = true;
    try {
      await run();
    } catch {
      // The response was lost, but the service may have done it. The next read shows it.
      isKnown = false;
    }
    isBusy = false;
  });
}

/** Reads the inbox, at most once a second. Resolves to the new deliveries, oldest first. */
export async function pollDeliveries() {
  if (path === '' || Date.now() - readAt < SHORTEST_PAUSE) return [];
  readAt = Date.now();
  if (!isKnown) await findInbox();
  if (webhook === undefined || find('#sandbox-drawer').hidden) return [];
  const id = webhook;
  const after = Math.max(0, ...shown.keys());
  const response = await read(`${path}/${id}/deliveries?after=${after}&limit=${MAX_SHOWN}`);
  if (id !== webhook) return [];
  if (response === undefined) {
    // Another client may have deleted the webhook.
    isKnown = false;
    return [];
  }
  const deliveries = await response.json();
  if (id !== webhook) return [];
  for (const delivery of deliveries) shown.set(delivery.number, itemOf(delivery));
  removeOldest(shown, MAX_SHOWN);
  place();
  return deliveries;
}

/** The delivery in one line, such as `plant.created · …8PfLA2 · right`. The ids of events differ only at their ends. */
export function describeDelivery({ type, message, verdict, reason }) {
  return [type, `…${message.slice(-6)}`, verdict + (reason === undefined ? '' : `: ${reason}`)].join(' · ');
}

async function findInbox() {
  const before = changes;
  const response = await read(path);
  const webhooks = await response?.json();
  if (webhooks === undefined || changes !== before) return;
  const inbox = webhooks.find(({ url, state }) => url === undefined && state !== 'disabled');
  if (inbox === undefined || inbox.id !== webhook) use(inbox?.id);
  isKnown = true;
}

function use(id) {
  forget();
  webhook = id;
  isKnown = true;
  find('#sandbox-webhook').hidden = false;
  find('#sandbox-inbox').hidden = id === undefined;
  find('#sandbox-inbox code').textContent = id ?? '';
  find('#sandbox-no-inbox').hidden = id !== undefined;
  start.hidden = id !== undefined;
}

/** Shows nothing until the page knows whether there is an inbox. */
function forget() {
  changes++;
  webhook = undefined;
  isKnown = false;
  for (const { item } of shown.values()) item.remove();
  shown.clear();
  showSecret('', '');
  find('#sandbox-webhook').hidden = true;
  start.hidden = true;
}

function showSecret(text, words) {
  secret.hidden = text === '';
  secret.querySelector('p').textContent = words;
  secret.querySelector('code').textContent = text;
}

/** Puts each delivery beside its event. A test message has no event, and an event may arrive after its delivery. */
function place() {
  for (const { message, item } of shown.values()) {
    if (item.closest('#sandbox-events')) continue;
    const event = findEvent(message);
    if (event) event.append(item);
    else if (!item.isConnected) find('#sandbox-strays').prepend(item);
  }
}

function itemOf(delivery) {
  const { at, message, headers, body, verdict, reason } = delivery;
  const item = make('details');
  item.dataset.verdict = verdict;
  const sent = [...headers.map(({ name, value }) => `${name}: ${value}`), '', body].join('\n');
  const clock = new Date(at).toTimeString().slice(0, 8);
  const advice = reason === undefined ? 'A receiver can trust it.' : `A receiver must refuse it: ${reason}.`;
  item.append(
    make('summary', describeDelivery(delivery)),
    make('pre', sent),
    make('p', `It arrived at ${clock}. ${advice}`),
  );
  return { message, item };
}

function begin() {
  forget();
  if (path !== '' && hasSandbox()) findInbox().catch(() => undefined);
}

events.addEventListener('change', begin);
events.addEventListener('news', place);
begin();
