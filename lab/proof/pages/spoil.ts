/** A control: adds a date that is none to every response. */
import { subscribe } from 'node:diagnostics_channel';
import type { ServerResponse } from 'node:http';

subscribe('http.server.response.created', (message) => {
  const { response } = message as { response: ServerResponse };
  response.setHeader('Last-Modified', 'yesterday');
});
