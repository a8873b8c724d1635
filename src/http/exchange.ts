/** A request and the results of its checks so far. Every step of the pipeline gets it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Credential } from '../auth/credential.ts';
import type { AnyResult, Operation } from '../contract/operation.ts';
import type { ClientAddress, Origin } from './connections/client-address.ts';

/** The parameters by name, and the body, as the operation's schemas read them. */
export interface AnyInput {
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** A handler without its types: `readInput` has checked the input by the operation's schemas. */
export type AnyHandler = (input: AnyInput, context: unknown) => AnyResult | Promise<AnyResult>;

export interface Endpoint {
  readonly operation: Operation;
  readonly handler: AnyHandler;
  /** Returns what the handler gets besides its input. */
  contextOf(exchange: Matched): unknown;
}

/** The router's result for a request to an operation. */
export interface Match extends Endpoint {
  /** The parameters in the path, percent-decoded. A value that is not UTF-8 is undefined. */
  readonly parameters: Readonly<Record<string, string | undefined>>;
  readonly query: string;
}

/** The head of a request. Method, target and fields are absent if Node could not read them. */
export type RequestHead = Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'rawHeaders' | 'socket'>;

/**
 * The part of an exchange that `finish` and the observers get. A request that the connection refuses has only this
 * part, because Node may not have read its head.
 */
export interface Finishable {
  /** The client's X-Request-Id if it is valid, else a new id. */
  readonly id: string;
  readonly request: RequestHead;
  /** The time by performance.now(). */
  readonly began: number;
  readonly operation?: Operation | undefined;
  readonly credential?: Credential | undefined;
  readonly body?: Buffer | undefined;
  readonly staged?: Staged | undefined;
  /** Header fields for any response, such as RateLimit. */
  headers: Readonly<Record<string, string>>;
}

/** A fault that a feature stages for a request, such as a late or a wrong response, to test the client. */
export interface Staged {
  /** For the request's line in the log. */
  readonly note: string;
  /** Whether the response is an error only because of this. The log then has no warning, and no metric counts it. */
  readonly isError: boolean;
}

export class Exchange implements Finishable {
  readonly request: IncomingMessage;
  /** Node's response. The step `write` sends it. Before that, only `readInput` writes to it (100 Continue). */
  readonly outgoing: ServerResponse;
  readonly id: string;
  /** Aborted when the service stops. */
  readonly stopping: AbortSignal;
  /** When the head had arrived, or when the turn of a pipelined request came. */
  began = performance.now();
  /** The number of its connection in this process, and its own number on the connection. Both begin with 1. */
  connection = 0;
  place = 1;
  /** Where its connection comes from. */
  origin: Origin | undefined = undefined;
  /**
   * Whether another request or a refusal waits for the end of its response. The service then reads the connection no
   * further, so it may not notice that the client has left.
   */
  hasNext = false;
  match: Match | undefined = undefined;
  credential: Credential | undefined = undefined;
  /** The bytes of the body, after they were read. */
  body: Buffer | undefined = undefined;
  staged: Staged | undefined = undefined;
  /** The bytes of its response that are reserved so far. */
  reserved = 0;
  headers: Readonly<Record<string, string>> = {};
  #address: ClientAddress | undefined = undefined;
  #signal: AbortSignal | undefined = undefined;

  constructor(request: IncomingMessage, outgoing: ServerResponse, id: string, stopping: AbortSignal) {
    this.request = request;
    this.outgoing = outgoing;
    this.id = id;
    this.stopping = stopping;
  }

  setMatch(match: Match): asserts this is Matched {
    this.match = match;
  }

  setCredential(credential: Credential): asserts this is Authenticated {
    this.credential = credential;
  }

  /** The address of the client, also behind trusted proxies. */
  get address(): ClientAddress {
    this.#address ??= this.origin?.clientOf(this.request);
    return this.#address ?? { network: '', site: undefined };
  }

  /** Leaves a time, in milliseconds, out of the duration that is logged and measured: the service was not slow. */
  excuse(milliseconds: number): void {
    this.began += milliseconds;
  }

  /** Undefined for pages, and for paths and methods that do not exist. */
  get operation(): Operation | undefined {
    return this.match?.operation;
  }

  /**
   * Whether the client has closed the connection, or its side of it. Nothing distinguishes a client that gave up from a
   * client that sends no more and still reads (RFC 9112, 9.6). So both get a response that is ready, but the service
   * stops waits and long work for both.
   */
  get hasLeft(): boolean {
    return this.outgoing.destroyed || this.request.socket.readableEnded;
  }

  /**
   * Aborted when the connection closes or the service stops, but not when the client closes only its side (`hasLeft`).
   * Created when first needed, since most requests are short.
   */
  get signal(): AbortSignal {
    if (this.#signal === undefined) {
      const gone = new AbortController();
      if (this.outgoing.destroyed) gone.abort();
      else this.outgoing.once('close', () => gone.abort());
      this.#signal = AbortSignal.any([gone.signal, this.stopping]);
    }
    return this.#signal;
  }

  /** Does work with a signal that is aborted when the client has left (`hasLeft`) or the service stops. */
  async withClient<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const left = new AbortController();
    const leave = () => left.abort();
    const { socket } = this.request;
    if (this.hasLeft) leave();
    socket.once('end', leave);
    try {
      return await work(AbortSignal.any([this.signal, left.signal]));
    } finally {
      socket.off('end', leave);
    }
  }
}

/** An exchange after the router has found its operation. */
export type Matched = Exchange & { readonly match: Match; readonly operation: Operation };

/** An exchange after its credential was found. */
export type Authenticated = Matched & {
  readonly credential: Credential;
  readonly operation: { readonly scopes: readonly string[] };
};

/** The client has left, so nobody waits for a response. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}
