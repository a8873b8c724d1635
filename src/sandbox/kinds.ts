/** The kinds of faults. To add a kind, add it here and to sandbox.yaml. */
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Operation } from '../contract/operation.ts';
import { type ErrorCode, Problem } from '../errors.ts';
import { hangUp } from '../http/connection.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Steps } from '../http/pipeline.ts';
import type { Response } from '../http/response.ts';
import type { Fault } from './sandbox.generated.ts';

type FaultParameters = Required<Omit<Fault, 'kind'>>;

/** The fault that a request gets. A parameter that was not given has a default, which no kind uses but `reset`. */
export interface PlannedFault extends FaultParameters {
  readonly kind: Fault['kind'];
  /** Whether the operation is carried out first. */
  readonly isAfterCommit: boolean;
}

export function planFault(fault: Fault, isAfterCommit: boolean): PlannedFault {
  return { status: 0, ms: 0, rate: 0, connection: 'any', ...fault, isAfterCommit };
}

/** A kind of fault. The steps that it does not define are the same as without a fault. */
interface Kind {
  /** The parameters that must be given, and those that may be given. */
  readonly needs?: readonly (keyof FaultParameters)[];
  readonly allows?: readonly (keyof FaultParameters)[];
  /** The header field Fault with this kind, for error messages. */
  readonly example: string;
  /** Whether requests wait because of this kind. */
  readonly waits?: true;
  /** Runs before the operation or after its commit. A Problem replaces the operation or its result. */
  perform?(fault: PlannedFault, operation: Operation, wait: (ms: number) => Promise<void>): FaultResult;
  /** Replaces the step `write`, which it gets as `write`. */
  write?(exchange: Exchange, response: Response, write: Steps['write']): void | Promise<void>;
  /**
   * Sends the body of a response. The head is already written, and the connection is not reused. `countWaiting` returns
   * the number of requests that wait because of faults.
   */
  writeBody?(fault: PlannedFault, body: Buffer, exchange: Exchange, countWaiting: () => number): void | Promise<void>;
}
type FaultResult = Problem | undefined | Promise<undefined>;

export const KINDS: Readonly<Record<Fault['kind'], Kind>> = {
  status: {
    needs: ['status'],
    example: 'status;status=503',
    perform: (fault, operation) => problemOf(fault.status, fault.isAfterCommit, operation),
  },
  delay: {
    needs: ['ms'],
    example: 'delay;ms=2000',
    waits: true,
    async perform({ ms }, _operation, wait) {
      await wait(ms);
      return undefined;
    },
  },
  reset: {
    allows: ['connection'],
    example: 'reset;when=afterCommit',
    // Only the request record shows this Problem. After the commit it shows the lost result instead.
    perform: ({ isAfterCommit }, operation) => (isAfterCommit ? undefined : problemOf(503, false, operation)),
    write: ({ request }) => reset(request.socket),
  },
  truncate: {
    example: 'truncate',
    writeBody(_fault, body, { outgoing, request }) {
      // `end` is not enough: a client that does not close would keep the connection open forever.
      outgoing.write(body.subarray(0, body.length / 2), () => hangUp(request.socket));
    },
  },
  slow: {
    needs: ['rate'],
    example: 'slow;rate=100',
    waits: true,
    writeBody: ({ rate }, body, exchange, countWaiting) => writeSlowly(exchange, body, rate, countWaiting),
  },
};

/** The fault as the request record shows it. */
export function faultText({ kind, isAfterCommit }: PlannedFault): string {
  return isAfterCommit ? `${kind}, after commit` : kind;
}

/** Whether the fault can happen to a request: `isFirst` tells whether it is the first of its connection. */
export function reaches({ connection }: Fault, isFirst: boolean): boolean {
  return isFirst || connection !== 'first';
}

/** Whether the client gets no response because of the fault. */
export function losesResponse({ kind }: PlannedFault): boolean {
  return kind === 'reset';
}

/** The error number that a fault sends, by status. */
const CODES: Readonly<Record<number, ErrorCode>> = {
  400: 40006,
  401: 40101,
  403: 40300,
  404: 40401,
  412: 41200,
  429: 42900,
  500: 50000,
  503: 50300,
};
const CHALLENGE = 'Bearer realm="plant-store"';
const RETRY = { 'Retry-After': '1' };

/** An error with the number and the header fields that the service itself uses for this status. */
function problemOf(status: number, isAfterCommit: boolean, { scopes = [] }: Operation): Problem {
  const headers: Readonly<Record<number, Readonly<Record<string, string>>>> = {
    401: { 'WWW-Authenticate': `${CHALLENGE}, error="invalid_token"` },
    403: { 'WWW-Authenticate': `${CHALLENGE}, error="insufficient_scope", scope="${scopes.join(' ')}"` },
    429: RETRY,
    503: RETRY,
  };
  const order = isAfterCommit ? 'was carried out first' : 'was not carried out';
  const message = `This sandbox was told to respond with ${status}. The request ${order}.`;
  return new Problem(CODES[status] ?? 50000, message, headers[status], { isRequested: true });
}

/** Closes a connection with RST. Under TLS Node cannot send RST: the client sees an end without TLS's close_notify. */
function reset(socket: Socket): void {
  if ('encrypted' in socket) socket.destroy();
  else socket.resetAndDestroy();
}

/** The longest time that a slow response may take, in milliseconds. A longer body is written faster. */
const LONGEST_SLOW = 30_000;
/** How many pieces are written in a second, for one slow response and for all slow responses together. */
const PIECES_A_SECOND = 10;
const ALL_PIECES_A_SECOND = 5_000;

async function writeSlowly(exchange: Exchange, body: Buffer, asked: number, countWaiting: () => number): Promise<void> {
  const { outgoing, stopping } = exchange;
  const rate = Math.max(asked, (body.length / LONGEST_SLOW) * 1_000);
  let at = 0;
  while (!stopping.aborted && !outgoing.destroyed) {
    const pieces = Math.min(PIECES_A_SECOND, ALL_PIECES_A_SECOND / countWaiting());
    const end = at + Math.max(1, Math.floor(rate / pieces));
    if (end >= body.length) break;
    outgoing.write(body.subarray(at, end));
    await pause(exchange, ((end - at) / rate) * 1_000);
    at = end;
  }
  if (!outgoing.destroyed) outgoing.end(body.subarray(at));
}

/** Waits, but only until the client leaves or the service stops. */
export async function pause(exchange: Exchange, milliseconds: number): Promise<void> {
  await sleep(milliseconds, undefined, { signal: exchange.signal }).catch(() => undefined);
}
