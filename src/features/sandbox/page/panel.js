/** Keeps the strip and the drawer up to date, and opens the drawer. */
import { countFaults, enableFaults, listenToSwitches, showFaults } from './faults.js';
import './feed.js';
import './focus.js';
import './long-lists.js';
import { countOf } from './make.js';
import { showOutcome } from './outcome.js';
import { clearPlants, countPlants, mayChangePlants, noteStored, showPlants } from './plants.js';
import { clearRequests, countRequests, describe, newestNumber, pollRequests } from './requests.js';
import { events, hasSandbox, readExpiry, say, send, timeLeft } from './sandbox.js';
import { describeDelivery, pollDeliveries } from './webhooks.js';

/** The page polls often after a request, and less and less often while nothing happens. */
const SHORTEST_PAUSE = 1_000;
const LONGEST_PAUSE = 3_000;
/** Other clients may change the rules, so the page reads them again after this time. */
const FAULTS_PAUSE = 5_000;

const find = (selector) => document.querySelector(`#sandbox ${selector}`);
let pause = SHORTEST_PAUSE;
/** Whether the page has shown nothing of its sandbox yet. */
let isFirst = true;
let faultsReadAt;
/** Ends the present pause. */
let wake = () => undefined;
let isAsked = false;
/** A newer request makes the note out of date. */
let noteEnds = Number.POSITIVE_INFINITY;

function showCounts() {
  find('#sandbox-plant-count').textContent = countPlants();
  find('#sandbox-request-count').textContent = hasSandbox() ? countOf(countRequests(), 'request') : '';
  find('#sandbox-fault-count').textContent = countFaults();
  find('#sandbox-time').textContent = timeText();
}

function timeText() {
  const left = timeLeft();
  if (left === undefined) return '';
  const minutes = Math.max(0, Math.ceil(left / 60_000));
  return minutes > 90 ? `${Math.round(minutes / 60)} h left` : `${minutes} min left`;
}

function showSandbox() {
  const isThere = hasSandbox();
  find('#sandbox-reset').disabled = !isThere;
  find('#sandbox-hint').hidden = isThere;
  find('.requests').hidden = !isThere;
  find('.plants').hidden = !isThere;
  const hint = document.querySelector('#need-token');
  if (hint !== null) hint.hidden = isThere;
  enableFaults(isThere);
  clearRequests();
  clearPlants();
  isFirst = true;
  showCounts();
}

async function update() {
  const requests = await pollRequests();
  if (requests === undefined) return;
  showOutcome(requests);
  if (newestNumber() > noteEnds) find('#sandbox-note').hidden = true;
  const isNew = isFirst;
  isFirst = false;
  if (isNew || Date.now() - faultsReadAt > FAULTS_PAUSE) {
    faultsReadAt = Date.now();
    await showFaults();
  }
  noteStored(requests);
  if (isNew || mayChangePlants(requests)) await showPlants();
  // The first request extends the life of a sandbox.
  if (isNew || (requests.length > 0 && requests.length === countRequests())) await readExpiry();
  if (requests.length === 0) return;
  pause = SHORTEST_PAUSE;
  announce(describe(requests.at(-1)));
}

async function updateInbox() {
  const deliveries = await pollDeliveries();
  if (deliveries.length > 0) announce(`Delivered: ${describeDelivery(deliveries.at(-1))}`);
}

/** Updates the page again and again. A hidden page is not updated. */
async function poll() {
  for (;;) {
    isAsked = false;
    pause = Math.min(pause * 1.5, LONGEST_PAUSE);
    // If the service cannot be reached, the next poll tries again.
    if (hasSandbox() && !document.hidden) {
      await update().catch(() => undefined);
      await updateInbox().catch(() => undefined);
    }
    showCounts();
    if (!isAsked) await sleep(pause);
  }
}

function sleep(milliseconds) {
  return new Promise((resolve) => {
    wake = resolve;
    setTimeout(resolve, milliseconds);
  });
}

function pollSoon() {
  pause = SHORTEST_PAUSE;
  isAsked = true;
  wake();
}

/** Lets a screen reader read the text when it is idle. */
function announce(text) {
  find('#sandbox-said').textContent = text;
}

async function showNewPlants() {
  await showPlants();
  showCounts();
}

function openDrawer(isOpen) {
  document.documentElement.dataset.drawer = isOpen ? 'open' : 'closed';
  find('#sandbox-drawer').hidden = !isOpen;
  find('#sandbox-toggle').ariaExpanded = String(isOpen);
}

find('#sandbox-toggle').addEventListener('click', () => {
  openDrawer(find('#sandbox-drawer').hidden);
  pollSoon();
});

find('#sandbox-reset').addEventListener('click', async () => {
  if (!(await send('POST', '/sandbox/reset').catch(() => undefined))) return;
  say('Your plants are back to the initial set. Faults stay on.', true);
  await showNewPlants();
});

events.addEventListener('message', ({ detail: { text, isUntilRequest } }) => {
  announce(text);
  noteEnds = isUntilRequest ? newestNumber() : Number.POSITIVE_INFINITY;
  find('#sandbox-note').textContent = text;
  find('#sandbox-note').hidden = false;
  openDrawer(true);
});
events.addEventListener('open', () => openDrawer(true));
events.addEventListener('change', showSandbox);
events.addEventListener('request', pollSoon);
// The request appears as early as its event.
events.addEventListener('news', pollSoon);
events.addEventListener('reset', () => void showNewPlants().catch(() => undefined));
document.addEventListener('visibilitychange', pollSoon);
listenToSwitches(showCounts);

openDrawer(matchMedia('(min-width: 1100px)').matches);
showSandbox();
void poll();
