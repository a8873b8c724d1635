/** A request and what is known of it so far. Every step of the pipeline gets it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Credential } from '../auth/credential.ts';
import type { AnyResult, Operation } from '../contract/operation.ts';

/** The parameters by name, and the body, as the operation's schemas read them. */
export interface AnyInput {
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** Performs the operation of a request. */
export type Perform = (exchange: Exchange, input: AnyInput) => Promise<AnyResult>;

/** What a router finds for a request to an operation. */
export interface Match {
  readonly operation: Operation;
  readonly perform: Perform;
  /** The path's parameters, percent-decoded; undefined for a value that is not UTF-8. */
  readonly parameters: Readonly<Record<string, string | undefined>>;
  readonly query: string;
}

/** Without method, target and fields if Node could not read them. */
export type RequestHead = Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'rawHeaders' | 'socket'>;

/**
 * The part of an exchange that `finish` and the observers get. A request that the connection refuses has nothing more:
 * Node may not have read its head.
 */
export interface Finishable {
  /** The client's X-Request-Id if it is sane, else a new one. */
  readonly id: string;
  readonly request: RequestHead;
  /** By performance.now(). */
  readonly began: number;
  readonly operation: Operation | undefined;
  readonly credential: Credential | undefined;
  readonly body: Buffer | undefined;
  /** Header fields of whatever response follows, such as RateLimit. */
  headers: Readonly<Record<string, string>>;
}

export function refusedExchange(socket: Socket, id: string, request: IncomingMessage | undefined): Finishable {
  return {
    id,
    request: request ?? { headers: {}, rawHeaders: [], socket },
    began: performance.now(),
    operation: undefined,
    credential: undefined,
    body: undefined,
    headers: {},
  };
}

export class Exchange implements Finishable {
  readonly request: IncomingMessage;
  /** Node's response. Only the step `write` sends it. `readInput` may ask for the body through it, others watch its end. */
  readonly outgoing: ServerResponse;
  /** The client's X-Request-Id where it is sane, else a new one. */
  readonly id: string;
  /** Aborted when the service stops. */
  readonly stopping: AbortSignal;
  /** By performance.now(): when its head had arrived, or, pipelined behind another request, when its turn came. */
  began = performance.now();
  match: Match | undefined = undefined;
  credential: Credential | undefined = undefined;
  /** Set by the step `readInput`. */
  input: AnyInput | undefined = undefined;
  /** The body's bytes, once they were read. */
  body: Buffer | undefined = undefined;
  /** Header fields of whatever response follows, such as RateLimit. */
  headers: Readonly<Record<string, string>> = {};
  #signal: AbortSignal | undefined = undefined;

  constructor(request: IncomingMessage, outgoing: ServerResponse, id: string, stopping: AbortSignal) {
    this.request = request;
    this.outgoing = outgoing;
    this.id = id;
    this.stopping = stopping;
  }

  /** Undefined where the request reaches none: pages, and paths or methods that do not exist. */
  get operation(): Operation | undefined {
    return this.match?.operation;
  }

  /** Aborted when the client leaves or the service stops. Made when it is first asked for: few requests wait that long. */
  get signal(): AbortSignal {
    if (this.#signal === undefined) {
      const gone = new AbortController();
      if (this.outgoing.destroyed) gone.abort();
      else this.outgoing.once('close', () => gone.abort());
      this.#signal = AbortSignal.any([gone.signal, this.stopping]);
    }
    return this.#signal;
  }
}

/** The credential of an authenticated request. Throws without one: an operation must never fall back to a store. */
export function credentialOf({ credential, operation }: Exchange): Credential {
  if (credential === undefined) throw new Error(`${operation?.id} needs a credential, and the request has none`);
  return credential;
}

/** What the router has found for a request to an operation. Throws for a request to none. */
export function matchOf({ match }: Exchange): Match {
  if (match === undefined) throw new Error('the request has reached no operation');
  return match;
}
