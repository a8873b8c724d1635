/** Open connections: closing them when the service ends, and those whose clients do not read. */
import type { Socket } from 'node:net';

export interface ConnectionLimits {
  /** Bytes of a request's line and header fields at most. */
  readonly maxHeader: number;
  /** Milliseconds that a request may take to arrive. */
  readonly requestTimeout: number;
  /** Connections at once at most; further ones are closed as they come. */
  readonly maxConnections: number;
}

export type Connections = ReturnType<typeof createConnections>;

/** How many bytes the system has taken, and since when it has taken no more; undefined while nothing is pending. */
type Progress = { readonly written: number; readonly since: number } | undefined;

/**
 * Node's own list of connections is not enough: it lacks sockets within their TLS handshake, and those that Node has
 * given away, as for CONNECT. `allowed` is in milliseconds.
 */
export function createConnections(allowed: number) {
  const sockets = new Map<Socket, Progress>();
  return {
    add(socket: Socket): void {
      sockets.set(socket, undefined);
      socket.once('close', () => sockets.delete(socket));
    },
    has: (socket: Socket) => sockets.has(socket),
    /** Whether bytes of some response were given to a socket and have not left this process. */
    anyPending: () => sockets.keys().some((socket) => socket.writableLength > 0),
    /** Closes every socket whose client has sent nothing at all. */
    destroySilent(): void {
      for (const socket of sockets.keys()) if (socket.bytesRead === 0) socket.destroy();
    },
    /**
     * Closes every socket whose client has read nothing of a pending response for the time allowed. To be called
     * regularly: one look at all of them costs less than a timer for each response.
     */
    sweep(): void {
      const now = performance.now();
      for (const [socket, progress] of sockets) {
        if (socket.writableLength === 0) sockets.set(socket, undefined);
        else if (progress?.written !== socket.bytesWritten) {
          sockets.set(socket, { written: socket.bytesWritten, since: now });
        } else if (now - progress.since > allowed) socket.destroy();
      }
    },
    destroy(): void {
      for (const socket of sockets.keys()) socket.destroy();
    },
  };
}

/** Milliseconds in which a client must read the last response and close. */
const LINGER_MS = 1_000;

/** Ends a connection, but reads on for a while: to close with input unread takes the response back (RFC 9112, 9.6). */
export function hangUp(socket: Socket): void {
  socket.end();
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
}

/** Takes the socket from Node's parser: no request can come, and none be completed, on a connection that was refused. */
export function ignoreInput(socket: Socket): Socket {
  // Where it waited for its turn Node's HTTP has stopped the reading, and would no longer begin it again.
  socket.emit('resume');
  socket.removeAllListeners('data');
  socket.on('data', () => undefined);
  return socket.pause();
}
