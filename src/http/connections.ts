/** Owns the list of open sockets: what the end of the service closes, and which callers take nothing of their answer. */
import type { Socket } from 'node:net';

export interface Connections {
  add(socket: Socket): void;
  has(socket: Socket): boolean;
  /** Whether some answer was handed over and has not left. */
  anyPending(): boolean;
  /** Ends those whose caller has said nothing at all. */
  destroySilent(): void;
  /** Ends those whose caller has taken nothing of an answer for the time allowed. */
  sweep(): void;
  destroy(): void;
}

/** How much was handed to the system, and since when no more; undefined where nothing waits. */
type Progress = { readonly written: number; readonly since: number } | undefined;

/** Node's own list is not enough: it lacks TLS handshakes, and the sockets that Node has handed over. */
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
