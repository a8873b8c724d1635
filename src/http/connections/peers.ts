/**
 * Limits what the connections of one address can do: how many of them are open, and when they are read, so that few
 * requests wait behind others (pipelining).
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { addressList, clientAddress, readAddress } from './client-address.ts';

/**
 * The bytes of waiting requests above which no other connection of the same address is read. Node parses up to 64 KiB
 * of a connection at once, which can be 2,500 requests. So an address can exceed this by what one connection sends.
 */
const MOST_WAITING = 8 * 2 ** 20;
/** The bytes of memory that a waiting request takes, and each of its header fields, with Node 26. */
const REQUEST_BYTES = 3_200;
const FIELD_BYTES = 100;

/** An IPv4 address, or a /48 network of IPv6. */
class Peer {
  connections = 0;
  readonly readers = new Set<Reader>();
  /** Paused connections without waiting requests. They continue to read in turn. */
  readonly held = new Set<Reader>();
  /** The bytes of the requests that wait. */
  waiting = 0;

  get isFull(): boolean {
    return this.waiting > MOST_WAITING;
  }
}

export class Peers {
  readonly #limit: number;
  readonly #isTrusted: (address: string) => boolean;
  readonly #peers = new Map<string, Peer>();
  /** The peers with a connection that may continue to read. The first one has the next turn of the event loop. */
  readonly #next = new Set<Peer>();
  #isServing = false;

  /** `limit`: the most connections of a peer. `trusted`: the addresses and networks of proxies, which have no limit. */
  constructor(limit: number, trusted: readonly string[]) {
    this.#limit = limit;
    this.#isTrusted = addressList(trusted);
  }

  /** Counts a connection until it closes. Returns false, and does not count it, if its peer is at the limit. */
  admit(socket: Socket): boolean {
    const address = readAddress(socket.remoteAddress ?? '');
    // Without an address the client has already gone.
    if (address === undefined) return true;
    const [site, peer] = this.#peerAt(address);
    if (peer.connections >= this.#limit && !this.#isTrusted(address)) return false;
    peer.connections++;
    socket.once('close', () => {
      peer.connections--;
      this.#forget(site, peer);
    });
    return true;
  }

  /** Begins to read a new connection, until it closes. */
  read(socket: Socket): Reader {
    const [site, peer] = this.#peerAt(readAddress(socket.remoteAddress ?? '') ?? '');
    const reader = new Reader(socket, peer, () => this.#serve(peer));
    socket.once('close', () => {
      reader.leave();
      this.#forget(site, peer);
    });
    return reader;
  }

  #peerAt(address: string): [site: string, peer: Peer] {
    const { network, site = network } = clientAddress(address);
    const peer = this.#peers.get(site) ?? new Peer();
    this.#peers.set(site, peer);
    return [site, peer];
  }

  #forget(site: string, peer: Peer): void {
    if (peer.connections === 0 && peer.readers.size === 0) this.#peers.delete(site);
  }

  #serve(peer: Peer): void {
    if (!peer.isFull && peer.held.size > 0) this.#next.add(peer);
    if (this.#isServing) return;
    const [first] = this.#next;
    if (first === undefined) return;
    this.#isServing = true;
    setImmediate(() => {
      this.#isServing = false;
      this.#next.delete(first);
      const [reader] = first.held;
      if (!first.isFull) reader?.resume();
      this.#serve(first);
    });
  }
}

/** Reads one connection. */
export class Reader {
  readonly #socket: Socket;
  readonly #peer: Peer;
  readonly #serve: () => void;
  /** The bytes of the requests that wait on this connection. */
  #waiting = 0;

  /** `serve` gives the connections of the peer their turns. */
  constructor(socket: Socket, peer: Peer, serve: () => void) {
    this.#socket = socket;
    this.#peer = peer;
    this.#serve = serve;
    peer.readers.add(this);
    // Node begins to read a new connection in the next tick.
    if (peer.isFull) process.nextTick(() => this.#hold());
  }

  /** Stops reading until every request that waits has begun. */
  wait(request: IncomingMessage): void {
    const peer = this.#peer;
    const wasFull = peer.isFull;
    this.#count(bytesOf(request));
    // In a microtask, because Node resumes reading at the end of the message that it is parsing.
    queueMicrotask(() => this.#socket.pause());
    if (peer.isFull && !wasFull) for (const reader of peer.readers) reader.#hold();
  }

  /** Counts a request no longer, because it begins. */
  begin(request: IncomingMessage): void {
    if (!this.#peer.readers.has(this)) return;
    this.#count(-bytesOf(request));
    this.#hold();
    this.#serve();
  }

  resume(): void {
    this.#peer.held.delete(this);
    this.#socket.resume();
  }

  /** The connection has closed, so its requests wait no longer. */
  leave(): void {
    this.#count(-this.#waiting);
    this.#peer.readers.delete(this);
    this.#peer.held.delete(this);
    this.#serve();
  }

  /** Pauses the connection until its peer has the next turn, or until its own requests have begun. */
  #hold(): void {
    if (this.#waiting > 0) return;
    this.#socket.pause();
    this.#peer.held.add(this);
  }

  #count(bytes: number): void {
    this.#waiting += bytes;
    this.#peer.waiting += bytes;
  }
}

/** The memory that Node and the service need for a request. */
const bytesOf = ({ rawHeaders }: IncomingMessage) => REQUEST_BYTES + (rawHeaders.length / 2) * FIELD_BYTES;
