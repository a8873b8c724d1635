/** A control: every 50th response takes longer than the last of them, and more and more so. */
import { subscribe } from 'node:diagnostics_channel';

let requests = 0;
subscribe('http.server.request.start', () => {
  if (++requests % 50 !== 0) return;
  const end = performance.now() + (requests / 1_000) ** 2;
  while (performance.now() < end);
});
