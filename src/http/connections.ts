/** The open connections of a listener, by socket. */
import type { Socket } from 'node:net';
import type { Connection } from './connection.ts';

/** Needed because Node's own list lacks sockets within their TLS handshake, and detached sockets, as for CONNECT. */
export class Connections extends Map<Socket, Connection> {
  add(connection: Connection): void {
    const { socket } = connection;
    this.set(socket, connection);
    socket.once('close', () => this.delete(socket));
  }

  /** The bare connection under a TLS socket. Both have the same remote address and port. */
  below({ remoteAddress, remotePort }: Socket): Connection | undefined {
    return this.values().find(
      ({ socket }) => socket.remotePort === remotePort && socket.remoteAddress === remoteAddress,
    );
  }

  /** Whether bytes of a response have been written to a socket but have not left this process. */
  hasPending(): boolean {
    return this.keys().some((socket) => socket.writableLength > 0);
  }

  /** Closes connections whose clients do not read. One regular check costs less than a timer per response. */
  sweep(allowed: number): void {
    const now = performance.now();
    for (const connection of this.values()) connection.sweep(now, allowed);
  }

  /** Closes every connection whose client has sent nothing at all. */
  destroySilent(): void {
    for (const socket of this.keys()) if (socket.bytesRead === 0) socket.destroy();
  }

  destroy(): void {
    for (const socket of this.keys()) socket.destroy();
  }
}
