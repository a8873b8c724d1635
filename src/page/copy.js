/** Adds a button to each example that readers run, to copy it. */
// A block, since the scripts of a page share the names outside of blocks.
{
  const said = document.querySelector('#said');

  async function copyText(example) {
    const text = example.textContent.trimEnd();
    if (navigator.clipboard) return navigator.clipboard.writeText(text);
    // Without HTTPS, a browser has this clipboard only in pages of the same machine. The older way works in all pages.
    getSelection().selectAllChildren(example);
    const write = (event) => {
      event.preventDefault();
      event.clipboardData.setData('text/plain', text);
    };
    document.addEventListener('copy', write);
    const hasCopied = document.execCommand('copy');
    document.removeEventListener('copy', write);
    if (!hasCopied) throw new Error('The browser refused the command.');
  }

  function addButton(example) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', async () => {
      try {
        await copyText(example);
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

  const copied = ['.language-sh', '.language-js', '.language-ts', '.language-yaml', '.secret'];
  for (const name of copied) {
    for (const code of document.querySelectorAll(`pre > code${name}`)) addButton(code.parentElement);
  }
}
