/** Takes over, before anything is painted, the colour mode that the reader chose in the reference. */
const chosen = localStorage.getItem('colorMode');
if (chosen === 'dark' || chosen === 'light') document.documentElement.dataset.mode = chosen;
