/**
 * One connection: the order of its requests, its refusals, its time-outs and its end. Node reads requests ahead
 * (pipelining). So `add` begins each request after the response before it has left.
 *
 * This file ends a connection in four ways:
 * - `refuse` sends a Problem as the last response, after all earlier responses.
 * - `#cut` makes the response to an upgrade the last one.
 * - Any response with `Connection: close` is the last one. Node then calls `destroySoon`.
 * - `sweep` destroys the connection if its client reads nothing.
 *
 * `hangUp` closes the connection, but reads for a while longer, so that the client gets its last response.
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Problem } from '../../errors.ts';
import type { FairShare } from '../../util/fair-share.ts';
import type { Exchange, Finishable } from '../exchange.ts';
import type { Pipeline } from '../pipeline.ts';
import type { RequestIds } from '../request.ts';
import { problemResponse, writeBare } from '../response.ts';
import { type Origin, siteOf } from './client-address.ts';
import { hangUp } from './hang-up.ts';
import { stopParsing, watchUpgrade } from './node-internals.ts';
import type { Reader } from './peers.ts';
import { notHttp } from './refusal.ts';

/** What all connections of a listener share. */
interface ConnectionParts {
  readonly pipeline: Pipeline;
  readonly requestIds: RequestIds;
  /** The addresses take turns to begin their requests. */
  readonly turns: FairShare;
}

export class Connection {
  readonly socket: Socket;
  readonly #parts: ConnectionParts;
  readonly #number: number;
  readonly #origin: Origin;
  readonly #reader: Reader | undefined;
  #requests = 0;
  /** The newest request, and the request before it. No response may overtake the response before it. */
  #newest: Exchange | undefined = undefined;
  #previous: Exchange | undefined = undefined;
  /** The number of bytes of responses that the system has taken, and when it last changed. */
  #progress: { readonly written: number; readonly since: number } | undefined = undefined;

  /**
   * `number` is different for each connection of the process. `reader` is absent for a bare connection under TLS, which
   * gets no requests.
   */
  constructor(socket: Socket, number: number, parts: ConnectionParts, origin: Origin, reader: Reader | undefined) {
    this.socket = socket;
    this.#number = number;
    this.#parts = parts;
    this.#origin = origin;
    this.#reader = reader;
    // Node reports a body that the client has cut off, except in a request with an upgrade.
    socket.once('end', () => {
      const { request } = this.#newest ?? {};
      if (request?.complete === false && request.headers.upgrade !== undefined) this.refuse(notHttp());
    });
    // Node ends connections with this method. If the client were still sending, that would reset the connection, and
    // the client would lose its response.
    const destroySoon = socket.destroySoon.bind(socket);
    socket.destroySoon = () => {
      if (this.#newest?.request.complete !== false) destroySoon();
      else {
        stopParsing(socket);
        hangUp(socket);
      }
    };
  }

  /** Responds to a request after all earlier requests got their responses (RFC 9112, 9.3.2). */
  add(exchange: Exchange): void {
    const { request, outgoing } = exchange;
    const previous = this.#newest;
    exchange.connection = this.#number;
    exchange.place = ++this.#requests;
    exchange.origin = this.#origin;
    this.#previous = previous;
    this.#newest = exchange;
    if (request.headers['transfer-encoding'] !== undefined) {
      this.#reader?.joinChunks(request);
      // This listener must run before Node's own, which drops an unread body chunk by chunk, without turns.
      outgoing.prependListener('finish', () => request.resume());
    }
    const hasUpgrade = request.headers.upgrade !== undefined;
    if (hasUpgrade && !watchUpgrade(request, () => this.#cut(exchange))) outgoing.setHeader('Connection', 'close');
    if (previous !== undefined && !isSent(previous)) {
      this.#reader?.wait(request);
      previous.hasNext = true;
      previous.outgoing.once('close', () => this.#beginInTurn(exchange, true));
      return;
    }
    // A request with an upgrade always begins later. By then Node has parsed the rest of the chunk, so `#cut` has been
    // called if Node dropped bytes.
    const isFree = !hasUpgrade && this.#parts.turns.isFree(exchange.began);
    if (isFree) void this.#parts.pipeline.respond(exchange);
    else this.#beginInTurn(exchange, false);
  }

  /** `hasWaited`: whether the request has waited for the response to an earlier request. */
  #beginInTurn(exchange: Exchange, hasWaited: boolean): void {
    const { pipeline, turns } = this.#parts;
    turns.add(siteOf(exchange.address), () => {
      if (hasWaited) {
        exchange.began = performance.now();
        this.#reader?.begin(exchange.request);
      }
      // Nothing is performed after a response that closes the connection (RFC 9112, 9.6).
      if (this.socket.writable) void pipeline.respond(exchange);
    });
  }

  /** Sends a Problem after all earlier responses, and closes the connection. `request`: undefined without its head. */
  refuse(problem: Problem, request?: IncomingMessage): void {
    const { socket } = this;
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    stopParsing(socket);
    const newest = this.#newest;
    if (newest !== undefined) newest.hasNext = true;
    if (newest === undefined || newest.request.complete) {
      const head = request ?? { headers: {}, rawHeaders: [], socket };
      this.#when(untilSent(newest), () =>
        this.#send(problem, {
          id: this.#parts.requestIds(request),
          request: head,
          began: performance.now(),
          headers: {},
        }),
      );
    } else if (newest.outgoing.headersSent) {
      // The malformed bytes are the body of a request that already has its response.
      this.#when(untilSent(newest), () => hangUp(socket));
    } else this.#when(untilSent(this.#previous), () => this.#send(problem, newest));
  }

  /** Closes the connection after the response to a request with an upgrade, because Node has dropped what follows. */
  #cut(exchange: Exchange): void {
    if (!exchange.request.complete) {
      this.refuse(notHttp());
      return;
    }
    const { socket } = this;
    stopParsing(socket);
    exchange.hasNext = true;
    socket.destroySoon = () => hangUp(socket);
    if (exchange.outgoing.headersSent) this.#when(untilSent(exchange), () => hangUp(socket));
    else exchange.outgoing.setHeader('Connection', 'close');
  }

  /**
   * Refuses a request that did not arrive in time. Node reports it once. If the service itself does not read the
   * connection meanwhile, the client gets `allowed` milliseconds more.
   */
  refuseLate(problem: Problem, allowed: number): void {
    const late = this.#newest;
    const isBodyLate = late?.request.complete === false;
    const check = () => {
      const newest = this.#newest;
      const hasArrived = newest?.request.complete && (isBodyLate || newest !== late);
      if (hasArrived) return;
      if (this.isHeld) setTimeout(check, allowed).unref();
      else this.refuse(problem);
    };
    // If the process was suspended, the request may have arrived meanwhile. Node reads it first.
    setImmediate(check);
  }

  /** Whether the service does not read the connection now, although requests may have arrived. */
  get isHeld(): boolean {
    return this.#reader?.isHeld ?? false;
  }

  /** Whether every request has its response. */
  get isIdle(): boolean {
    return isSent(this.#newest);
  }

  /** Closes the connection if its client has read nothing of a pending response for `allowed` milliseconds. */
  sweep(now: number, allowed: number): void {
    const { socket } = this;
    if (socket.writableLength === 0) this.#progress = undefined;
    else if (this.#progress?.written !== socket.bytesWritten) {
      this.#progress = { written: socket.bytesWritten, since: now };
    } else if (now - this.#progress.since > allowed) socket.destroy();
  }

  #when(earlier: Promise<void> | undefined, act: () => void): void {
    if (earlier === undefined) act();
    else void earlier.then(() => this.socket.writable && act());
  }

  /** Node creates no response object for what its parser refuses. */
  #send(problem: Problem, exchange: Finishable): void {
    const { headers, ...response } = problemResponse(problem);
    const closing = { ...response, headers: { ...headers, Connection: 'close' } };
    const finished = this.#parts.pipeline.finish(exchange, closing);
    if (finished === undefined) {
      this.socket.destroy();
      return;
    }
    writeBare(exchange, finished);
    hangUp(this.socket);
  }
}

/** Whether the response has left. True if there is no request. */
function isSent(exchange: Exchange | undefined): boolean {
  return exchange?.outgoing.writableFinished ?? true;
}

/** Resolves when the response has left, or its client has. Undefined if there is nothing to wait for. */
function untilSent(exchange: Exchange | undefined): Promise<void> | undefined {
  if (exchange === undefined || isSent(exchange)) return undefined;
  return new Promise((resolve) => exchange.outgoing.once('close', resolve));
}
