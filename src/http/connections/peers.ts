/**
 * Limits the connections of one address: how many are open, and when the service reads them. So few pipelined requests
 * and few chunks of bodies wait in memory.
 *
 * A connection with waiting requests is paused until all of them have begun, and is then *held*. If the waiting
 * requests of an address take more than MAX_WAITING bytes, its other connections are held too. Below this limit, one
 * held connection resumes per turn of the event loop, and addresses take turns. Chunks of bodies wait in the same way.
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { FairShare } from '../../util/fair-share.ts';
import { clientAddress, type Origin, siteOf } from './client-address.ts';

/**
 * The bytes of waiting requests above which no other connection of the same address is read. Node parses up to 64 KiB
 * of a connection at once, which can be 2,500 requests. So an address can exceed this by what one connection sends.
 */
const MAX_WAITING = 8 * 2 ** 20;
/** The bytes of memory that a waiting request takes, each of its header fields, and each chunk, with Node 26. */
const REQUEST_BYTES = 3_200;
const FIELD_BYTES = 100;
const CHUNK_BYTES = 220;

/** An IPv4 address, or a /48 network of IPv6. */
interface Peer {
  readonly site: string;
  connections: number;
  readonly readers: Set<Reader>;
  /** Paused connections without waiting requests, which resume in turn while `waiting` is below the limit. */
  readonly held: Set<Reader>;
  /** Whether a held connection waits for its turn. */
  isResuming: boolean;
  /** The bytes of the requests and chunks that wait. */
  waiting: number;
}

function newPeer(site: string): Peer {
  return { site, connections: 0, readers: new Set(), held: new Set(), isResuming: false, waiting: 0 };
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
    // A proxy does not count, so other clients in its network of IPv6 have the whole limit.
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
    const site = siteOf(clientAddress(address));
    const peer = this.#peers.get(site) ?? newPeer(site);
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
  /** The bytes of the requests and chunks that wait on this connection. */
  #waiting = 0;

  constructor(socket: Socket, peer: Peer, reading: FairShare) {
    this.#socket = socket;
    this.#peer = peer;
    this.#reading = reading;
    peer.readers.add(this);
    // Node resumes a connection at the end of each message, and when a body is read.
    const resume = socket.resume.bind(socket);
    socket.resume = () => (this.#waiting > 0 || this.isHeld ? socket : resume());
    // Node begins to read a new connection in the next tick.
    if (isFull(peer)) process.nextTick(() => this.#hold());
  }

  /** Whether the connection waits for its turn to be read, although none of its own requests waits. */
  get isHeld(): boolean {
    return this.#peer.held.has(this);
  }

  /** Stops reading until every request that waits has begun. */
  wait(request: IncomingMessage): void {
    this.#addWaiting(bytesOf(request));
  }

  /** Subtracts a request that begins from those that wait. */
  begin(request: IncomingMessage): void {
    this.#removeWaiting(bytesOf(request));
  }

  /**
   * Passes on the chunks of a body that Node has parsed together as one piece, in turn. Until then they wait like
   * requests: Node parses up to 64 KiB at once, which can be 10,000 chunks.
   */
  joinChunks(request: IncomingMessage): void {
    const push = request.push.bind(request);
    let chunks: Uint8Array[] = [];
    let isEnded = false;
    let giveUp = () => {};
    const pass = () => {
      const passed = chunks;
      chunks = [];
      const hasRoom = request.destroyed || push(Buffer.concat(passed));
      if (isEnded) push(null);
      // Without room, Node resumes the connection when the body is read.
      this.#removeWaiting(passed.length * CHUNK_BYTES, hasRoom || isEnded);
    };
    request.push = (chunk: Uint8Array | null) => {
      if (chunk === null) {
        isEnded = true;
        return chunks.length > 0 || push(null);
      }
      if (chunks.push(chunk) === 1) giveUp = this.#reading.add(this.#peer.site, pass);
      this.#addWaiting(CHUNK_BYTES);
      return true;
    };
    // The chunks of a client that has left wait for no turn.
    request.once('close', () => {
      giveUp();
      if (chunks.length > 0) pass();
    });
  }

  #addWaiting(bytes: number): void {
    const peer = this.#peer;
    const wasFull = isFull(peer);
    if (this.#waiting === 0) this.#socket.pause();
    this.#count(bytes);
    if (isFull(peer) && !wasFull) for (const reader of peer.readers) reader.#hold();
  }

  #removeWaiting(bytes: number, resumes = true): void {
    if (!this.#peer.readers.has(this)) return;
    this.#count(-bytes);
    if (resumes) this.#hold();
  }

  /** The connection has closed, so its requests wait no longer. */
  leave(): void {
    this.#peer.readers.delete(this);
    this.#peer.held.delete(this);
    this.#count(-this.#waiting);
  }

  /** Pauses the connection until it has the next turn of its peer, or until its own requests have begun. */
  #hold(): void {
    if (this.#waiting > 0 || this.isHeld || !this.#peer.readers.has(this)) return;
    this.#socket.pause();
    this.#peer.held.add(this);
    this.#resumeInTurn();
  }

  /** Resumes the connection of the peer that is held for the longest time, and the others after it. */
  #resumeInTurn(): void {
    const peer = this.#peer;
    if (isFull(peer) || peer.isResuming || peer.held.size === 0) return;
    peer.isResuming = true;
    this.#reading.add(peer.site, () => {
      peer.isResuming = false;
      if (isFull(peer)) return;
      const [next] = peer.held;
      if (next === undefined) return;
      peer.held.delete(next);
      next.#socket.resume();
      this.#resumeInTurn();
    });
  }

  #count(bytes: number): void {
    this.#waiting += bytes;
    this.#peer.waiting += bytes;
    if (bytes < 0) this.#resumeInTurn();
  }
}

/** The memory that Node and the service need for a request. */
const bytesOf = ({ rawHeaders }: IncomingMessage) => REQUEST_BYTES + (rawHeaders.length / 2) * FIELD_BYTES;
