/** Makes the sandbox reachable by keyboard, also while the reference's request form keeps the focus in itself. */

const panel = document.querySelector('#sandbox');
const toggle = document.querySelector('#sandbox-toggle');
const keys = document.querySelector('#sandbox-keys');
const KEYS = keys.textContent;
let cameFrom;

function goToSandbox() {
  cameFrom = document.activeElement;
  toggle.focus();
}

function goBack() {
  const isUsable = cameFrom?.isConnected && cameFrom !== document.body;
  (isUsable ? cameFrom : document.querySelector('#create')).focus();
}

const isInPanel = ({ target }) => target instanceof Node && panel.contains(target);

// The form would take back the focus. These listeners run before the form's listeners, and hide the events from it.
addEventListener('focusin', (event) => isInPanel(event) && event.stopImmediatePropagation(), true);
addEventListener(
  'keydown',
  (event) => {
    if (event.key === 'F6' && !event.ctrlKey && !event.shiftKey && !event.altKey && !event.metaKey) {
      event.preventDefault();
      if (isInPanel(event)) goBack();
      else goToSandbox();
    } else if (event.key === 'Tab' && isInPanel(event)) event.stopImmediatePropagation();
  },
  true,
);

// A link could not do this: the reference uses the fragment of the page's address.
document.querySelector('#skip').addEventListener('click', (event) => {
  event.preventDefault();
  goToSandbox();
});

document.addEventListener('focusin', ({ target }) => {
  keys.textContent = target.closest('.cm-content') ? 'Esc, then Tab: leave the editor · F6: to the sandbox' : KEYS;
});
