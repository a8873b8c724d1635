// Generated from contract/sandbox.yaml by npm run generate. Do not edit.

/** A fault, and the requests or the messages of webhooks that it applies to. */
export interface FaultRule {
  readonly fault: Fault;
  readonly match?: FaultMatch;
  /**
   * before: the fault happens before the operation, or replaces the operation. afterCommit: the fault happens after
   * the operation, when its change is stored. Default: before.
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
   * The kind of fault. Later versions may add kinds.
   * - `changedBody`: for messages of webhooks, a body that was changed after it was signed: the plant has another
   * name.
   * - `close`: a connection that closes (FIN) without a response.
   * - `delay`: a response that is late by `ms`, up to 30,000. For messages of webhooks, a message that is late by
   * `ms`.
   * - `duplicate`: for listEvents, a page or a stream that has the first event twice. For messages of webhooks, a
   * message that is sent twice.
   * - `gap`: for listEvents, a page or a stream without its first event.
   * - `hugeBody`: for messages of webhooks, a signed body of 256 KiB: it has one more member, `padding`.
   * - `idle`: the whole response, and a connection that closes after `ms` if no request follows.
   * - `oldTimestamp`: for messages of webhooks, a message that was signed ten minutes ago with the right secret.
   * - `proxy`: an error as a proxy sends it, not as the description declares it. Any status from 400 to 599.
   * - `race`: the usual response, but another client changes the plant just before the operation. With afterCommit,
   * it changes the plant just after the commit.
   * - `reordered`: for messages of webhooks, the next message before this message, and later again. If there is no
   * next message yet, the fault does not apply.
   * - `reset`: a connection that is reset (RST) without a response.
   * - `silent`: for listEvents, a stream that stays open and sends nothing, not even heartbeats.
   * - `slow`: a body that arrives at `rate` bytes per second, or faster if it would take over 30 s. For messages of
   * webhooks, the limit is 10 s, and an inbox gets the body immediately.
   * - `status`: an error with this `status`, which the operation must declare. The message explains that the sandbox
   * was asked for it.
   * - `truncate`: a response that ends too early, halfway through its body or after `bytes`.
   * - `unknownType`: for messages of webhooks, a message of the unknown type plant.watered before the right message.
   * It is signed, and has its own id.
   * - `unsigned`: for messages of webhooks, a message without `webhook-signature`.
   * - `wrongSignature`: for messages of webhooks, a signature that was made with another secret.
   */
  readonly kind:
    | 'changedBody'
    | 'close'
    | 'delay'
    | 'duplicate'
    | 'gap'
    | 'hugeBody'
    | 'idle'
    | 'oldTimestamp'
    | 'proxy'
    | 'race'
    | 'reordered'
    | 'reset'
    | 'silent'
    | 'slow'
    | 'status'
    | 'truncate'
    | 'unknownType'
    | 'unsigned'
    | 'wrongSignature';
  /**
   * For the kinds close and reset: whether the fault applies to any request, only to the first request of a
   * connection, or only to a later one. Some clients repeat a request by themselves when a connection that they used
   * before is reset. With first, most of them do not: while the rule has requests left, each response to the sandbox
   * closes its connection. With reused, an idle connection closes as the request arrives. Default: any.
   */
  readonly connection?: 'any' | 'first' | 'reused';
  /**
   * For the kind delay: the milliseconds before the operation, before the response, or before the message. For the
   * kind idle: the milliseconds that the connection stays open after the response. For the kind truncate: the
   * milliseconds that the connection stays open and silent. Default: it closes immediately.
   */
  readonly ms?: number;
  /**
   * For the kind delay: what happens if the client closes the connection, or its side of it, before the operation.
   * cancel: the request is not carried out, and a client that still reads gets 503. continue: the request is carried
   * out late. Default: cancel.
   */
  readonly leave?: 'cancel' | 'continue';
  /**
   * For the kinds duplicate and gap: the place of the event in the response. A response with fewer events is
   * complete. Default: 1. For the kind silent: the place of the first event that the stream does not send. Default:
   * 1. For the kind truncate: the place of the event in which the stream ends. A stream with fewer events is
   * complete. Default: 1.
   */
  readonly event?: number;
  /** For the kind proxy: any error status. For the kind status: an error status that the operation declares. */
  readonly status?: number;
  /** For the kind proxy: the seconds in Retry-After. Default: no Retry-After. */
  readonly retry?: number;
  /** For the kind proxy: the form of Retry-After, a number of seconds or an HTTP date. Default: seconds. */
  readonly form?: 'seconds' | 'date';
  /** For the kind proxy: the media type of the body. Default: no Content-Type. */
  readonly media?: 'html' | 'text' | 'json';
  /** For the kind proxy: the body of the response. Default: an empty body. */
  readonly body?: string;
  /** For the kind slow: bytes per second. The rate is higher if the body would take over 30 s. */
  readonly rate?: number;
  /**
   * For the kind truncate: the part of the response that ends too early. A response without a body is complete,
   * unless the part is head. A stream of events ends in the middle of an event. Default: body.
   */
  readonly part?: 'body' | 'head';
  /**
   * For the kind truncate: the number of bytes of the part that are sent. The last byte is never sent. For a stream:
   * the number of bytes of the event. Default: half of them.
   */
  readonly bytes?: number;
  /**
   * For the kind truncate: what shows the client where the body ends. length: Content-Length. chunked: the chunks of
   * Transfer-Encoding. close: only the end of the connection. A stream has no length, so its default is chunked.
   * Default: length.
   */
  readonly framing?: 'length' | 'chunked' | 'close';
  /**
   * For each kind, if the request has the id of a plant: what another client does to this plant, just before the
   * operation or just after its commit. The record of requests leaves it out. replace: the name becomes "Another
   * client", without a tag. replaceIfMatch: the same, unless the plant has changed since the request arrived.
   * delete: deletes the plant. recreate: deletes the plant, if there is one, and creates another with the name
   * "Another client".
   */
  readonly other?: 'replace' | 'replaceIfMatch' | 'delete' | 'recreate';
}

/**
 * Limits the rule: to requests of one operation, to requests for one plant, or to both. Or to messages of
 * webhooks.
 */
export interface FaultMatch {
  readonly operation?: 'listPlants' | 'createPlant' | 'getPlant' | 'replacePlant' | 'deletePlant' | 'listEvents';
  /** The plant's id, in the path or in the body. Requests for listPlants and listEvents have none. */
  readonly id?: number | bigint | string;
  /**
   * The rule is for messages of webhooks with this type, and not for requests. any: messages of all types. Some
   * kinds are only for messages: their default is any. This exists only on a service with webhooks. Later versions
   * may add types.
   */
  readonly message?:
    | 'any'
    | 'plant.created'
    | 'plant.replaced'
    | 'plant.deleted'
    | 'store.reset'
    | 'events.gap'
    | 'webhook.test';
}

/** A request as the service received it, and how the service responded. */
export interface ReceivedRequest {
  /** The number of the request within the sandbox. Later requests have higher numbers. */
  readonly number: number;
  /** When the request arrived, in UTC (RFC 3339). */
  readonly at: string;
  /**
   * The number of the connection. All connections of a process of the service share these numbers. Behind a proxy,
   * the connection is the proxy's.
   */
  readonly connection: number;
  /** The place of the request on its connection: 1 for the first. */
  readonly place: number;
  readonly method: string;
  readonly target: string;
  readonly headers: readonly HeaderField[];
  /** The first 4 KiB of the body, if the service read it. `…` replaces each secret. */
  readonly body?: string;
  /** The status of the response. Absent if there is none. */
  readonly status?: number;
  /** The error number of the response, if its body is an Error object. */
  readonly error?: number;
  /** The time from the arrival of the request to its response, until now, or until its client left. */
  readonly milliseconds: number;
  /** The fault that applied, if any. */
  readonly fault?: string;
  /**
   * lost: the fault closed the connection without a response, and `status` is the status of the lost response.
   * pending: the request is in progress, and there is no response yet. abandoned: the client left before the
   * response; without `status`, the request was not carried out. Later versions may add values.
   */
  readonly response?: 'lost' | 'pending' | 'abandoned';
}

export interface HeaderField {
  readonly name: string;
  /** The value of the field. `…` replaces a secret, except for the scheme of a credential. */
  readonly value: string;
}
