/** The open connections of a listener, by socket and by address. */
import type { Socket } from 'node:net';
import { addressList, clientAddress, readAddress } from './address.ts';
import type { Connection } from './connection.ts';

/** Counts the open connections of each address, so that one client cannot use all connections. */
export class ConnectionCounts {
  readonly #limit: number;
  readonly #isTrusted: (address: string) => boolean;
  readonly #counts = new Map<string, number>();

  /** `trusted` lists addresses and networks without a limit, such as proxies. */
  constructor(limit: number, trusted: readonly string[]) {
    this.#limit = limit;
    this.#isTrusted = addressList(trusted);
  }

  /** Counts a connection until it closes. Returns false, and does not count it, if its address is at the limit. */
  add(socket: Socket): boolean {
    const address = readAddress(socket.remoteAddress ?? '');
    // Without an address the client has already gone.
    if (address === undefined || this.#isTrusted(address)) return true;
    const { network, site = network } = clientAddress(address);
    const count = this.#counts.get(site) ?? 0;
    if (count >= this.#limit) return false;
    this.#counts.set(site, count + 1);
    socket.once('close', () => this.#remove(site));
    return true;
  }

  #remove(site: string): void {
    const left = (this.#counts.get(site) ?? 0) - 1;
    if (left > 0) this.#counts.set(site, left);
    else this.#counts.delete(site);
  }
}

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
