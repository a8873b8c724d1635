/** A control: writes every credential to standard error. */
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';

subscribe('http.server.request.start', (message) => {
  const { request } = message as { request: IncomingMessage };
  process.stderr.write(`${request.headers.authorization}\n`);
});
