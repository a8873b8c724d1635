/** Owns the list of open sockets: to close them when the service ends, and those whose caller does not read its answer. */
import type { Socket } from 'node:net';

interface Connections {
  add(socket: Socket): void;
  has(socket: Socket): boolean;
  /** Whether bytes of some answer were given to a socket and have not left this process. */
  anyPending(): boolean;
  /** Closes every socket whose caller has sent nothing at all. */
  destroySilent(): void;
  /** Closes every socket whose caller has read nothing of a pending answer for the time allowed; called regularly. */
  sweep(): void;
  destroy(): void;
}

/** How many bytes the system has taken, and since when it has taken no more; undefined while nothing is pending. */
type Progress = { readonly written: number; readonly since: number } | undefined;

/**
 * Node's own list of connections is not enough: it lacks sockets within their TLS handshake, and those that Node has
 * given away, as for CONNECT. `allowed` is in milliseconds.
 */
export function createConnections(allowed: number): Connections {
  const sockets = new Map<Socket, Progress>();
  return {
    add(socket) {
      sockets.set(socket, undefined);
      socket.once('close', () => sockets.delete(socket));
    },
    has: (socket) => sockets.has(socket),
    anyPending() {
      for (const { writableLength } of sockets.keys()) if (writableLength > 0) return true;
      return false;
    },
    destroySilent() {
      for (const socket of sockets.keys()) if (socket.bytesRead === 0) socket.destroy();
    },
    // One look at all of them costs less than a timer for each answer.
    sweep() {
      const now = performance.now();
      for (const [socket, progress] of sockets) {
        if (socket.writableLength === 0) sockets.set(socket, undefined);
        else if (progress?.written !== socket.bytesWritten) {
          sockets.set(socket, { written: socket.bytesWritten, since: now });
        } else if (now - progress.since > allowed) socket.destroy();
      }
    },
    destroy() {
      for (const socket of sockets.keys()) socket.destroy();
    },
  };
}
