import { Socket } from 'node:net';

/** Milliseconds in which a client must read the last response and close. */
const LINGER_MS = 1_000;

/** Ends a connection, but reads a while longer: closing with unread input discards the response (RFC 9112, 9.6). */
export function hangUp(socket: Socket): void {
  socket.end();
  // The connection's own `resume` does nothing while its requests wait (peers.ts).
  Socket.prototype.resume.call(socket);
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
}
