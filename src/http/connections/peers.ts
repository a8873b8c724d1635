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
import { FairShare } from '../../util/fair-share.ts';

/** An address as limits count it: one client usually has a whole network of IPv6. */
export interface ClientAddress {
  /** An IPv4 address, or the /64 network of an IPv6 address. Empty if the client has already gone. */
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

/** Where the requests of a connection come from. */
export class Origin {
  /** The address of the connection's other end. Empty if it has already gone. */
  readonly peer: string;
  readonly isProxy: boolean;
  readonly #isTrusted: (address: string) => boolean;
  readonly #own: ClientAddress;

  /** `isTrusted`: whether an address is a proxy whose X-Forwarded-For is used. */
  constructor({ remoteAddress = '' }: Pick<Socket, 'remoteAddress'>, isTrusted: (address: string) => boolean) {
    this.peer = readAddress(remoteAddress) ?? '';
    this.isProxy = this.peer !== '' && isTrusted(this.peer);
    this.#isTrusted = isTrusted;
    this.#own = clientAddress(this.peer);
  }

  /** The address of a request's client, which may be behind trusted proxies. */
  clientOf({ headers }: Pick<IncomingMessage, 'headers'>): ClientAddress {
    const field = headers['x-forwarded-for'];
    if (!this.isProxy || field === undefined) return this.#own;
    const forwarded = String(field).split(',');
    let address = this.peer;
    // Each proxy appends the address of its client. Entries before the first untrusted address may be forged.
    while (this.#isTrusted(address)) {
      const next = readAddress(forwarded.pop()?.trim() ?? '');
      if (next === undefined) break;
      address = next;
    }
    return clientAddress(address);
  }
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
interface Peer {
  readonly site: string;
  connections: number;
  readonly readers: Set<Reader>;
  /** Paused connections without waiting requests, which wait until `waiting` is below the limit. */
  readonly held: Set<Reader>;
  /** The bytes of the requests that wait. */
  waiting: number;
}

const isFull = ({ waiting }: Peer) => waiting > MAX_WAITING;

export class Peers {
  readonly #limit: number;
  readonly #peers = new Map<string, Peer>();
  /** Resumes one held connection per turn of the event loop. */
  readonly #reading = new FairShare({ share: 1, slice: 0 });

  /** `limit`: the most connections of a peer that is not a proxy. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Counts a connection until it closes. Returns false, and does not count it, if its peer is at the limit. */
  admit(socket: Socket, origin: Origin): boolean {
    // Other clients in the proxy's network of IPv6 have the limit for themselves.
    if (origin.isProxy) return true;
    const peer = this.#peerAt(origin);
    if (peer.connections >= this.#limit) return false;
    peer.connections++;
    socket.once('close', () => {
      peer.connections--;
      this.#forget(peer);
    });
    return true;
  }

  /** Begins to read a new connection, until it closes. */
  read(socket: Socket, origin: Origin): Reader {
    const peer = this.#peerAt(origin);
    const reader = new Reader(socket, peer, this.#reading);
    socket.once('close', () => {
      reader.leave();
      this.#forget(peer);
    });
    return reader;
  }

  #peerAt({ peer: address }: Origin): Peer {
    const { network, site = network } = clientAddress(address);
    const peer = this.#peers.get(site) ?? { site, connections: 0, readers: new Set(), held: new Set(), waiting: 0 };
    this.#peers.set(site, peer);
    return peer;
  }

  #forget(peer: Peer): void {
    if (peer.connections === 0 && peer.readers.size === 0) this.#peers.delete(peer.site);
  }
}

export class Reader {
  readonly #socket: Socket;
  readonly #peer: Peer;
  readonly #reading: FairShare;
  /** The bytes of the requests that wait on this connection. */
  #waiting = 0;
  /** Removes the connection from those that resume in turn. */
  #giveUp: (() => void) | undefined = undefined;
  #willPause = false;
  readonly #pause = () => {
    this.#willPause = false;
    this.#socket.pause();
  };

  constructor(socket: Socket, peer: Peer, reading: FairShare) {
    this.#socket = socket;
    this.#peer = peer;
    this.#reading = reading;
    peer.readers.add(this);
    // Node begins to read a new connection in the next tick.
    if (isFull(peer)) process.nextTick(() => this.#hold());
  }

  /** Whether the connection waits for its turn to be read, although none of its own requests waits. */
  get isHeld(): boolean {
    return this.#giveUp !== undefined || this.#peer.held.has(this);
  }

  /** Stops reading until every request that waits has begun. */
  wait(request: IncomingMessage): void {
    const peer = this.#peer;
    const wasFull = isFull(peer);
    // In a microtask, because Node resumes reading at the end of each message of the chunk that it is parsing.
    if (!this.#willPause) queueMicrotask(this.#pause);
    this.#willPause = true;
    this.#count(bytesOf(request));
    if (isFull(peer) && !wasFull) for (const reader of peer.readers) reader.#hold();
  }

  /** Counts a request no longer, because it begins. */
  begin(request: IncomingMessage): void {
    if (!this.#peer.readers.has(this)) return;
    this.#count(-bytesOf(request));
    this.#hold();
  }

  /** The connection has closed, so its requests wait no longer. */
  leave(): void {
    this.#peer.readers.delete(this);
    this.#peer.held.delete(this);
    this.#giveUp?.();
    this.#count(-this.#waiting);
  }

  /** Pauses the connection until its peer has the next turn, or until its own requests have begun. */
  #hold(): void {
    if (this.#waiting > 0 || this.#giveUp !== undefined || !this.#peer.readers.has(this)) return;
    this.#socket.pause();
    this.#peer.held.add(this);
    this.#resumeInTurn();
  }

  #resumeInTurn(): void {
    const peer = this.#peer;
    if (isFull(peer)) return;
    for (const reader of peer.held) {
      reader.#giveUp ??= this.#reading.add(peer.site, () => reader.#resume());
    }
    peer.held.clear();
  }

  #resume(): void {
    this.#giveUp = undefined;
    if (isFull(this.#peer)) this.#hold();
    else this.#socket.resume();
  }

  #count(bytes: number): void {
    this.#waiting += bytes;
    this.#peer.waiting += bytes;
    if (bytes < 0) this.#resumeInTurn();
  }
}

/** The memory that Node and the service need for a request. */
const bytesOf = ({ rawHeaders }: IncomingMessage) => REQUEST_BYTES + (rawHeaders.length / 2) * FIELD_BYTES;
