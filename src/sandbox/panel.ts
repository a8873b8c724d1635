/** The panel of the page: its part of the HTML, and the files that it needs. */
import { readAsset } from '../assets.ts';
import type { Panel } from '../docs/index.ts';

export function sandboxPanel(): Panel {
  return {
    html: readAsset('sandbox/panel.html').toString(),
    hint: 'The first request that you send makes a sandbox for you: no token is needed.',
    script: 'sandbox/panel.js',
    style: 'sandbox/panel.css',
  };
}
