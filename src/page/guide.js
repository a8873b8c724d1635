/**
 * Shows the place of the page in the navigation, fills in the address and the token that the reader uses, and offers a
 * sandbox if the reader has no token.
 */
const said = document.querySelector('#said');
const main = document.querySelector('main');
const { example, token: tokenOfDemo } = main.dataset;

const topics = document.querySelector('#topics');
const headings = document.querySelector('#headings');

/** Scrolls only the list, not the page. */
function showPlace() {
  const current = topics.querySelector('[aria-current]');
  const list = topics.querySelector('#pages');
  if (current !== null) list.scrollTop = current.offsetTop - list.clientHeight / 2;
}
showPlace();
topics.addEventListener('toggle', showPlace);
headings.addEventListener('click', ({ target }) => {
  if (target.closest('a') && headings.matches(':popover-open')) headings.hidePopover();
});

/** The reference keeps the token and the sandbox of this tab under these names. */
const TOKEN = 'plant-store-token';
const SANDBOX = 'plant-store-sandbox';

// A page with a configured address contains it already.
if (example) fillIn(example, new URL('..', location.href).href.replace(/\/$/, ''), main);
showToken();

async function showToken() {
  const token = tokenOfDemo || ((await hasEnded()) ? undefined : sessionStorage.getItem(TOKEN));
  if (token) fillInToken(token);
  else offerSandbox();
}

function fillInToken(own) {
  for (const code of main.querySelectorAll('code')) {
    fillIn('Bearer demo', `Bearer ${own}`, code);
    fillIn('TOKEN=demo', `TOKEN=${own}`, code);
    fillIn("bearer('demo')", `bearer('${own}')`, code);
  }
}

function fillIn(text, own, place) {
  const nodes = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
  while (nodes.nextNode()) {
    const { currentNode } = nodes;
    currentNode.nodeValue = currentNode.nodeValue.replaceAll(text, () => own);
  }
}

/**
 * Whether the sandbox of this tab has ended: it may have been deleted, or its use in a terminal may have postponed its
 * end. A token that the reader typed belongs to no sandbox.
 */
async function hasEnded() {
  try {
    const { token } = JSON.parse(sessionStorage.getItem(SANDBOX) ?? '{}');
    if (!token || token !== sessionStorage.getItem(TOKEN)) return false;
    const response = await fetch('../sandbox', { headers: { Authorization: `Bearer ${token}` } });
    const sandbox = await response.json();
    // The reader may have got another sandbox in the meantime.
    const isCurrent = sessionStorage.getItem(TOKEN) === token;
    if (response.ok && isCurrent) sessionStorage.setItem(SANDBOX, JSON.stringify({ ...sandbox, token }));
    return response.status === 401;
  } catch {
    return false;
  }
}

function offerSandbox() {
  const offer = document.querySelector('#offer');
  if (offer === null) return;
  offer.hidden = false;
  const button = offer.querySelector('button');
  button?.addEventListener('click', async () => {
    button.disabled = true;
    try {
      offer.querySelector('p').textContent = await createSandbox(button.dataset.sandboxes);
      button.remove();
    } catch (error) {
      said.textContent = error.message;
      offer.querySelector('p').textContent = error.message;
      button.disabled = false;
    }
  });
}

/** Resolves to a text for the reader, after the examples have the token of a new sandbox. */
async function createSandbox(address) {
  const request = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"plants":"garden"}' };
  const response = await fetch(address, request).catch(() => undefined);
  // A proxy that does not reach the service may respond without JSON.
  const created = await response?.json().catch(() => undefined);
  if (created === undefined) throw new Error('The service cannot be reached. Try again later.');
  if (!response.ok) throw new Error(created.message);
  sessionStorage.setItem(SANDBOX, JSON.stringify(created));
  sessionStorage.setItem(TOKEN, created.token);
  fillInToken(created.token);
  said.textContent = 'Sandbox created';
  return 'You have a sandbox. The examples of all pages in this tab now have its token, and the reference shows it.';
}
