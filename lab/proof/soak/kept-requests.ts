/** A control: keeps every request for ever. */
import { subscribe } from 'node:diagnostics_channel';

const kept: unknown[] = [];
subscribe('http.server.request.start', (message) => kept.push(message));
