/** What has to be in place before anything is run or painted. */
// The colour mode that the reader chose in the reference holds for the guide too.
const chosen = localStorage.getItem('colorMode');
if (chosen === 'dark' || chosen === 'light') document.documentElement.dataset.mode = chosen;

// Zod, within the reference, would try whether it may evaluate text: it may not, and trying is a CSP violation.
globalThis.__zod_globalConfig = { jitless: true };
