/** Runs before every other script, and before the browser paints the page. */
// The guide uses the colour mode that the reader chose in the reference.
const chosen = localStorage.getItem('colorMode');
if (chosen === 'dark' || chosen === 'light') document.documentElement.dataset.mode = chosen;

// Otherwise Zod, a part of the reference, would try to evaluate text, which violates the Content-Security-Policy.
globalThis.__zod_globalConfig = { jitless: true };
