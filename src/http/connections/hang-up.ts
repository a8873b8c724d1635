import { Socket } from 'node:net';

/** Milliseconds between two checks whether the client still sends. */
const LINGER_MS = 1_000;
/** The most checks. A client cannot keep the connection by sending without an end. */
const CHECKS = 10;

/**
 * Ends a connection, but reads on while the client sends: closing with unread input discards the response (RFC 9112,
 * 9.6), and many clients read no response before they have sent their whole request.
 */
export function hangUp(socket: Socket): void {
  socket.end();
  // The connection's own `resume` does nothing while its requests wait (peers.ts).
  Socket.prototype.resume.call(socket);
  let read = socket.bytesRead;
  let checks = 0;
  // The connection may already have closed, so the timer ends by itself, too.
  const timer = setInterval(() => {
    checks++;
    if (socket.bytesRead === read || checks === CHECKS) {
      clearInterval(timer);
      socket.destroy();
    }
    read = socket.bytesRead;
  }, LINGER_MS);
  socket.once('close', () => clearInterval(timer));
}
