/**
 * The addresses of clients, and what the connections of one address can do: how many of them are open, and when they
 * are read, so that few requests wait behind others (pipelining).
 *
 * A connection with waiting requests is paused until all of them have begun, and is then *held*. If the waiting
 * requests of an address take more than MAX_WAITING bytes, its other connections are held too. Below this limit, one
 * held connection resumes per turn of the event loop, and addresses take turns.
 */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIPv6, type Socket, SocketAddress } from 'node:net';

/** An address as limits count it: one client usually has a whole network of IPv6. */
export interface ClientAddress {
  /** An IPv4 address, or the /64 network of an IPv6 address. */
  readonly network: string;
  /** The /48 network of an IPv6 address, which has 65,536 networks. Undefined for IPv4. */
  readonly site: string | undefined;
}

/** Returns a check whether an address, as readAddress returns it, is one of these addresses and networks. */
export function addressList(entries: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const one of entries) {
    const [address = '', bits] = one.split('/');
    const family = familyOf(address);
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (address) => list.check(address, familyOf(address));
}

const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4');

/**
 * Reads an address in any spelling, with or without a port. Returns the usual spelling: IPv4 also for an address that
 * an IPv6 socket shows as ::ffff:1.2.3.4. Undefined if the text is no address.
 */
export function readAddress(text: string): string | undefined {
  const [withoutZone = ''] = text.split('%');
  const address = SocketAddress.parse(isIPv6(withoutZone) ? `[${withoutZone}]` : text)?.address;
  return address?.replace(/^::ffff:(?=\d+\.)/, '');
}

export function clientAddress(address: string): ClientAddress {
  if (!isIPv6(address)) return { network: address, site: undefined };
  const [head = '', tail = ''] = address.split('::');
  const [left, right] = [head, tail].map((part) => part.split(':').filter(Boolean)) as [string[], string[]];
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  const groups = [...left, ...zeros, ...right];
  return { network: groups.slice(0, 4).join(':'), site: groups.slice(0, 3).join(':') };
}

/** Finds the address of a request's client, also behind trusted proxies. */
export type AddressReader = (request: Pick<IncomingMessage, 'socket' | 'headers'>) => ClientAddress;

/** `trusted` lists proxies by address or network, such as 10.0.0.0/8. Only their X-Forwarded-For is used. */
export function addressReader(trusted: readonly string[]): AddressReader {
  const isTrusted = addressList(trusted);
  return ({ socket, headers }) => {
    const peer = readAddress(socket.remoteAddress ?? '');
    const field = headers['x-forwarded-for'];
    if (peer === undefined) return { network: '', site: undefined };
    if (field === undefined) return clientAddress(peer);
    const forwarded = String(field).split(',');
    let address = peer;
    // Each proxy appends the address of its client. Entries before the first untrusted address may be forged.
    while (isTrusted(address)) {
      const next = readAddress(forwarded.pop()?.trim() ?? '');
      if (next === undefined) break;
      address = next;
    }
    return clientAddress(address);
  };
}

/**
 * The bytes of waiting requests above which no other connection of the same address is read. Node parses up to 64 KiB
 * of a connection at once, which can be 2,500 requests. So an address can exceed this by what one connection sends.
 */
const MAX_WAITING = 8 * 2 ** 20;
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
    return this.waiting > MAX_WAITING;
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
