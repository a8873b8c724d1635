/** A request and what is known of it so far; every step of the pipeline is given it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Credential } from '../auth/credential.ts';
import type { Operation } from '../contract/operation.ts';
import type { Problem } from '../errors.ts';

/** What a router finds for a request to an operation. */
export interface Match {
  readonly operation: Operation;
  /** The path's parameters, percent-decoded; undefined where that is not UTF-8. */
  readonly parameters: Readonly<Record<string, string | undefined>>;
  readonly query: string;
}

export class Exchange {
  readonly request: IncomingMessage;
  /** Node's own: only the step `write` touches it. */
  readonly outgoing: ServerResponse;
  /** The client's X-Request-Id where it is sane, else a new one. */
  readonly id: string;
  /** Aborted when the service stops. */
  readonly stopping: AbortSignal;
  /** By performance.now(): when its head had arrived, or, pipelined behind another request, when its turn came. */
  began = performance.now();
  /** What is wrong with its head that Node's parser did not tell. */
  refused: Problem | undefined = undefined;
  match: Match | undefined = undefined;
  credential: Credential | undefined = undefined;
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
