/** The kinds of faults. To add a kind, add it here and to sandbox.yaml. */
import type { AnySuccess } from '../../contract/operation.ts';
import { type ErrorCode, Problem } from '../../errors.ts';
import { hangUp } from '../../http/connections/connection.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { Response } from '../../http/response.ts';
import { proxyResponse, reset, truncate, writeSlowly } from './broken-responses.ts';
import { duplicateEvent, omitEvent, silence } from './event-faults.ts';
import { isLate, type PlannedFault, type Writing } from './planned-fault.ts';
import type { Fault } from './sandbox.generated.ts';

type Parameter = Exclude<keyof Fault, 'kind'>;

/** A kind of fault. The steps that it does not define are the same as without a fault. */
interface Kind {
  /** The parameters that must be given, and those that may be given. Each kind also takes `other`. */
  readonly needs?: readonly Parameter[];
  readonly allows?: readonly Parameter[];
  /** The header field Fault with this kind, for error messages. */
  readonly example: string;
  /** What a response must have for the fault: events, or a stream of them. Undefined: nothing. */
  requires?(fault: Fault): 'events' | 'stream' | undefined;
  /** Runs before the operation or after its commit. A Problem replaces the operation or its result. */
  perform?(fault: PlannedFault, exchange: Exchange, wait: (ms: number) => Promise<void>): FaultResult;
  /** Changes the result of the operation. */
  change?(fault: PlannedFault, result: AnySuccess): AnySuccess;
  /** Replaces the response. `now`: milliseconds since 1970. */
  respond?(fault: PlannedFault, now: number): Response;
  /** Replaces the step `write`. */
  write?(fault: PlannedFault, exchange: Exchange, response: Response, writing: Writing): void | Promise<void>;
}
type FaultResult = Problem | undefined | Promise<Problem | undefined>;

/**
 * Takes the place of the operation if `respond` or `write` follows. Of a lost response, the request record shows it.
 */
const replace = ({ isAfterCommit }: PlannedFault, exchange: Exchange) =>
  isAfterCommit ? undefined : problemOf(503, false, exchange);

const LOST = { allows: ['connection'], perform: replace } as const;
const OF_EVENTS: Pick<Kind, 'allows' | 'requires'> = { allows: ['event'], requires: () => 'events' };

export const KINDS: Readonly<Record<Fault['kind'], Kind>> = {
  status: {
    needs: ['status'],
    example: 'status;status=503',
    perform: ({ status = 0, isAfterCommit }, exchange) => problemOf(status, isAfterCommit, exchange),
  },
  proxy: {
    needs: ['status'],
    allows: ['retry', 'form', 'media', 'body'],
    example: 'proxy;status=502;media=html',
    perform: replace,
    respond: proxyResponse,
  },
  delay: {
    needs: ['ms'],
    allows: ['leave'],
    example: 'delay;ms=2000',
    async perform(fault, exchange, wait) {
      await wait(fault.ms ?? 0);
      if (fault.isAfterCommit || isLate(fault) || !exchange.hasLeft) return undefined;
      return new Problem(50300, LEFT, RETRY, REQUESTED);
    },
  },
  reset: { ...LOST, example: 'reset;when=afterCommit', write: (_fault, { request }) => reset(request.socket) },
  close: { ...LOST, example: 'close;connection=reused', write: (_fault, { request }) => hangUp(request.socket) },
  idle: {
    needs: ['ms'],
    example: 'idle;ms=100',
    write({ ms = 0 }, exchange, response, { write }) {
      const { socket } = exchange.request;
      // The listener closes the connection then, unless another request is under way. The end of its response, or the
      // next request, ends the time-out.
      exchange.outgoing.once('finish', () => socket.setTimeout(ms));
      return write(exchange, response);
    },
  },
  truncate: {
    allows: ['part', 'bytes', 'framing', 'ms', 'event'],
    example: 'truncate;bytes=10',
    requires: ({ event }) => (event === undefined ? undefined : 'stream'),
    write: truncate,
  },
  slow: { needs: ['rate'], example: 'slow;rate=100', write: writeSlowly },
  race: { needs: ['other'], example: 'race;other=delete' },
  duplicate: { ...OF_EVENTS, example: 'duplicate;event=2', change: duplicateEvent },
  gap: { ...OF_EVENTS, example: 'gap;event=2', change: omitEvent },
  silent: { allows: ['event'], example: 'silent;event=2', requires: () => 'stream', change: silence },
};

/** The error number that a fault sends, by status. */
const CODES: Readonly<Record<number, ErrorCode>> = {
  400: 40006,
  401: 40101,
  403: 40300,
  404: 40401,
  410: 41000,
  412: 41200,
  429: 42900,
  500: 50000,
  503: 50300,
};
const CHALLENGE = 'Bearer realm="plant-store"';
const RETRY = { 'Retry-After': '1' };
const REQUESTED = { isRequested: true };
/** For a client that has closed its side of the connection and may still read. */
const LEFT = 'The client closed its side of the connection during a delay. The request was not carried out.';

/** An error with the number and the header fields that the service itself uses for this status. */
function problemOf(status: number, isAfterCommit: boolean, { operation }: Pick<Exchange, 'operation'>): Problem {
  const scopes = operation?.scopes ?? [];
  const headers: Readonly<Record<number, Readonly<Record<string, string>>>> = {
    401: { 'WWW-Authenticate': `${CHALLENGE}, error="invalid_token"` },
    403: { 'WWW-Authenticate': `${CHALLENGE}, error="insufficient_scope", scope="${scopes.join(' ')}"` },
    429: RETRY,
    503: RETRY,
  };
  const order = isAfterCommit ? 'was carried out first' : 'was not carried out';
  const message = `This sandbox was told to respond with ${status}. The request ${order}.`;
  return new Problem(CODES[status] ?? 50000, message, headers[status], REQUESTED);
}
