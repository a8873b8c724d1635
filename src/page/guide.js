/**
 * Shows the place of the page in the navigation, fills in the address and the token that the reader uses, and adds a
 * button to each example that readers run, to copy it.
 */
const said = document.querySelector('#said');
const { example, token: tokenOfDemo, needsToken } = document.querySelector('main').dataset;

document.querySelector('.guide nav [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });

// The reference keeps the token of this tab under this name.
const token = tokenOfDemo || sessionStorage.getItem('plant-store-token');
if (token || needsToken === 'false') fillIn(example, new URL('..', location.href).href.replace(/\/$/, ''));
if (token) {
  fillIn('Bearer demo', `Bearer ${token}`);
  fillIn("bearer('demo')", `bearer('${token}')`);
}

function fillIn(text, own) {
  const codes = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
  while (codes.nextNode()) {
    const { currentNode } = codes;
    if (currentNode.parentElement.closest('code')) {
      currentNode.nodeValue = currentNode.nodeValue.replaceAll(text, () => own);
    }
  }
}

// Without HTTPS, a browser allows its clipboard only to pages of the same machine.
if (navigator.clipboard) {
  for (const language of ['sh', 'js', 'ts', 'yaml']) {
    for (const code of document.querySelectorAll(`pre > code.language-${language}`)) addButton(code.parentElement);
  }
}

function addButton(example) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(example.textContent.trimEnd());
      said.textContent = 'Copied';
    } catch {
      said.textContent = 'This browser does not allow copying';
    }
    button.textContent = said.textContent;
    setTimeout(() => {
      button.textContent = 'Copy';
      said.textContent = '';
    }, 2_000);
  });
  const box = document.createElement('div');
  box.className = 'example';
  example.replaceWith(box);
  box.append(example, button);
}
