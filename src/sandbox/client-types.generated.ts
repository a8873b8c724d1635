// Generated from sandbox.yaml by npm run generate. Do not edit.

/** A fault, and the requests that it applies to. */
export interface FaultRule {
  readonly fault: Fault;
  readonly match?: FaultMatch;
  /**
   * before: the fault happens before the operation; a status or a reset then takes the place of the operation.
   * afterCommit: the fault happens after the operation, when its change is stored. Default: before.
   */
  readonly when?: 'before' | 'afterCommit';
  /** The number of matching requests that the rule ignores first. Default: 0. */
  readonly skip?: number;
  /** The number of requests that the rule applies to. Default: all. */
  readonly times?: number;
  /** The percentage of matching requests that the rule applies to, chosen at random. Default: 100. */
  readonly share?: number;
  /** The seed of the random choice. The same seed chooses the same requests from the same sequence. */
  readonly seed?: number;
}

/** The fault that happens. */
export interface Fault {
  /**
   * The kind of fault. Later versions may add kinds. status: an error response. delay: a wait before the operation
   * or before the response. reset: a connection that closes without a response. truncate: a body that ends too
   * early. slow: a body that arrives slowly.
   */
  readonly kind: 'status' | 'delay' | 'reset' | 'truncate' | 'slow';
  /** For the kind status: an error status that the operation declares. */
  readonly status?: number;
  /** For the kind delay: the length of the delay in milliseconds. */
  readonly ms?: number;
  /** For the kind slow: bytes per second. The rate is higher if the body would take over 30 s. */
  readonly rate?: number;
  /**
   * For the kind reset: whether any request is reset, or only the first request of a connection. Some clients repeat
   * a request by themselves when a connection that they used before is reset. With first, most of them do not: while
   * the rule has requests left, each response to the sandbox closes its connection. Default: any.
   */
  readonly connection?: 'any' | 'first';
}

/** Limits the rule: to requests of one operation, to requests for one plant, or to both. */
export interface FaultMatch {
  /** The operation's operationId. */
  readonly operation?: 'listPlants' | 'createPlant' | 'getPlant' | 'replacePlant' | 'deletePlant';
  /** The plant's id, in the path or in the body. */
  readonly id?: number | bigint | string;
}

/** A request as the service received it, and how the service responded. */
export interface ReceivedRequest {
  /** The number of the request within the sandbox. Later requests have higher numbers. */
  readonly number: number;
  readonly at: string;
  readonly method: string;
  readonly target: string;
  readonly headers: readonly HeaderField[];
  /** The first 4 KiB of the body, if the service read it. `…` replaces each secret. */
  readonly body?: string;
  /** The status of the response. */
  readonly status: number;
  /** The error number of the response, if its body is an Error object. */
  readonly error?: number;
  /** The time from the head of the request to its response. */
  readonly milliseconds: number;
  /** The fault that applied, if any. */
  readonly fault?: string;
  /**
   * lost: the fault closed the connection without a response, and `status` is the status of the lost response. Later
   * versions may add values.
   */
  readonly response?: 'lost';
}

export interface HeaderField {
  readonly name: string;
  /** The value of the field. `…` replaces a secret, except for the scheme of a credential. */
  readonly value: string;
}
