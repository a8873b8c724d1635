/** Adds a button to each example that readers run, to copy it. */
// A block, since the scripts of a page share the names outside of blocks.
{
  const said = document.querySelector('#said');

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

  // Without HTTPS, a browser allows its clipboard only to pages of the same machine.
  if (navigator.clipboard) {
    const copied = ['.language-sh', '.language-js', '.language-ts', '.language-yaml', '.secret'];
    for (const name of copied) {
      for (const code of document.querySelectorAll(`pre > code${name}`)) addButton(code.parentElement);
    }
  }
}
