/**
 * What depends on members of Node that its documentation does not describe, or that only Node itself should call. No
 * other folder uses them. test/http/node-internals.test.ts names the test of each.
 */
import type { IncomingMessage, Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';

/** A client that has closed its sending side still waits for its response (RFC 9112, 9.6). Node would hang up. */
export function allowHalfOpen<Own extends Server>(server: Own): Own {
  return Object.assign(server, { httpAllowHalfOpen: true });
}

/** Accepts no new connections. http.Server.close would also destroy those whose response is not sent yet. */
export function stopListening(server: Server): void {
  NetServer.prototype.close.call(server);
}

/** Takes a socket from Node's parser, so that no request arrives or completes. */
export function stopParsing(socket: Socket): void {
  // Node may have paused the socket. Without its parser it would not resume reading.
  socket.emit('resume');
  socket.removeAllListeners('data');
  socket.on('data', () => undefined);
  socket.pause();
}

interface Parser {
  /** At the key `kOnExecute`: called after each chunk, with the number of bytes that were parsed, or with an error. */
  [kOnExecute: number]: ((parsed: number | Error) => void) | null;
  getCurrentBuffer(): Buffer;
  readonly constructor: { readonly kOnExecute?: number };
}

/**
 * A server may ignore an upgrade (RFC 9110, 7.8). Node then reads further requests, but it drops a malformed body and
 * the bytes behind the request in the same chunk. Calls `onDrop` when Node drops bytes. The bytes that arrive next then
 * do not begin a request. Returns false if this version of Node does not show what it drops.
 */
export function watchUpgrade(request: IncomingMessage, onDrop: () => void): boolean {
  const { parser } = request.socket as { readonly parser?: Parser | null };
  const key = parser?.constructor.kOnExecute;
  const onExecute = key === undefined ? undefined : parser?.[key];
  if (parser == null || key === undefined || typeof onExecute !== 'function') return false;
  parser[key] = (parsed) => {
    const isDropped = typeof parsed === 'number' && parsed !== parser.getCurrentBuffer().length;
    if (request.complete || isDropped) parser[key] = onExecute;
    onExecute(parsed);
    if (isDropped) onDrop();
  };
  return true;
}
