/** A control: every hundredth request opens a file that is never closed. */
import { subscribe } from 'node:diagnostics_channel';
import { openSync } from 'node:fs';

let requests = 0;
subscribe('http.server.request.start', () => {
  if (++requests % 100 === 0) openSync('/dev/null', 'r');
});
