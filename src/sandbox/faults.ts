/** Faults on request: they wrap `perform`, before or behind the operation, and `write`, for what happens to the response. */
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AnyResult, Operation } from '../contract/operation.ts';
import { type ErrorCode, Problem, retryLater } from '../errors.ts';
import { hangUp } from '../http/connections.ts';
import type { Exchange } from '../http/exchange.ts';
import { type AnyInput, ClientGone } from '../http/input.ts';
import type { Steps } from '../http/pipeline.ts';
import type { Response } from '../http/response.ts';
import { preferredStatus, readFault } from './fields.ts';
import { createRules, type PlannedFault } from './rules.ts';
import type { Sandbox } from './sandboxes.ts';

/** How many requests wait, or are written slowly, in this process: each keeps a connection, of which others need some. */
const MOST_WAITING = 5_000;
/** A slow response is written faster where it would take longer than this, in milliseconds: as long as the longest delay. */
const LONGEST_SLOW = 30_000;
/** Of a slow response, so many pieces are written in a second; of all of them together not many more than the second. */
const PIECES_A_SECOND = 10;
const ALL_PIECES_A_SECOND = 5_000;

/** The number of an error that a fault brings about, by status. */
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

export type Faults = ReturnType<typeof createFaults>;

/** The fault that a request met, and for how many milliseconds it let the request wait. */
export interface MetFault {
  readonly fault: PlannedFault;
  waited: number;
}

export function createFaults(random: () => number) {
  const rules = createRules(random);
  const met = new WeakMap<Exchange, MetFault>();
  let waiting = 0;

  /** Cut short when the client leaves or the service stops. */
  const pause = (exchange: Exchange, milliseconds: number) =>
    sleep(milliseconds, undefined, { signal: exchange.signal }).catch(() => undefined);
  const wait = async (exchange: Exchange, milliseconds: number) => {
    const began = performance.now();
    waiting++;
    await pause(exchange, milliseconds);
    waiting--;
    const waited = performance.now() - began;
    (met.get(exchange) as MetFault).waited = waited;
    // The service was not slow: neither its log nor its metrics are to say so.
    exchange.began += waited;
  };
  const happen = async (
    exchange: Exchange,
    operation: Operation,
    fault: PlannedFault,
  ): Promise<Problem | undefined> => {
    if (fault.kind === 'delay') await wait(exchange, fault.ms ?? 0);
    if (fault.kind === 'status') return problemOf(fault.status ?? 503, operation);
    // The step `write` closes the connection instead of sending this.
    if (fault.kind === 'reset') return problemOf(503, operation);
    return undefined;
  };
  const plan = (exchange: Exchange, operation: Operation, sandbox: Sandbox, input: AnyInput) => {
    const { headers } = exchange.request;
    const field = headers['fault'];
    if (field !== undefined) return readFault(String(field), operation);
    const status = preferredStatus(headers['prefer']?.toString(), operation);
    if (status === undefined) return rules.choose(sandbox, operation, idOf(input));
    exchange.headers = { ...exchange.headers, 'Preference-Applied': `code=${status}` };
    return { kind: 'status', status, isAfterCommit: false };
  };

  return {
    waiting: () => waiting,
    /** For the record. */
    of: (exchange: Exchange) => met.get(exchange),

    /** `perform`: the operation itself. Called once the input was found valid. */
    async perform(
      exchange: Exchange,
      input: AnyInput,
      sandbox: Sandbox,
      perform: () => Promise<AnyResult>,
    ): Promise<AnyResult> {
      const operation = exchange.operation as Operation;
      const fault = plan(exchange, operation, sandbox, input);
      if (fault === undefined) return perform();
      // Before anything is done.
      if ((fault.kind === 'delay' || fault.kind === 'slow') && waiting >= MOST_WAITING) throw overloaded();
      met.set(exchange, { fault, waited: 0 });
      if (!fault.isAfterCommit) {
        const problem = await happen(exchange, operation, fault);
        if (exchange.outgoing.destroyed) throw new ClientGone();
        return problem ?? perform();
      }
      const result = await perform();
      const problem = await happen(exchange, operation, fault);
      // Of a response that is lost it is recorded what it was.
      return fault.kind === 'reset' ? result : (problem ?? result);
    },

    write(exchange: Exchange, response: Response, write: Steps['write']): void | Promise<void> {
      const fault = met.get(exchange)?.fault;
      if (fault?.kind === 'reset') {
        reset(exchange.request.socket);
        return undefined;
      }
      const hasBody = response.body !== undefined && response.body.length > 0 && exchange.request.method !== 'HEAD';
      if (!hasBody || (fault?.kind !== 'truncate' && fault?.kind !== 'slow')) return write(exchange, response);
      const body = Buffer.from(response.body ?? '');
      const { outgoing } = exchange;
      outgoing.shouldKeepAlive = false;
      outgoing.writeHead(response.status, response.headers);
      if (fault.kind === 'slow') return writeSlowly(exchange, body, fault.rate ?? 1);
      // Not by `end` alone: a client that does not close would keep the connection for ever.
      outgoing.write(body.subarray(0, body.length / 2), () => hangUp(exchange.request.socket));
      return undefined;
    },
  };

  async function writeSlowly(exchange: Exchange, body: Buffer, asked: number): Promise<void> {
    const { outgoing, stopping } = exchange;
    const rate = Math.max(asked, (body.length / LONGEST_SLOW) * 1_000);
    waiting++;
    let at = 0;
    while (!stopping.aborted && !outgoing.destroyed) {
      const piece = Math.max(1, Math.floor(rate / Math.min(PIECES_A_SECOND, ALL_PIECES_A_SECOND / waiting)));
      if (at + piece >= body.length) break;
      outgoing.write(body.subarray(at, at + piece));
      at += piece;
      await pause(exchange, (piece / rate) * 1_000);
    }
    waiting--;
    if (!outgoing.destroyed) outgoing.end(body.subarray(at));
  }
}

/** Under TLS Node cannot send RST: there the client sees a connection that ends without TLS's own end. */
function reset(socket: Socket): void {
  if ('encrypted' in socket) socket.destroy();
  else socket.resetAndDestroy();
}

function overloaded(): Problem<50301> {
  return retryLater(50301, 'Too many faults wait', 1, 'faults');
}

/** The service's own error of a status that the operation declares, as it would be without a fault. */
function problemOf(status: number, { scopes = [] }: Operation): Problem {
  const code = CODES[status] ?? 50000;
  const what = `This sandbox was told to fail with ${status}`;
  if (status === 429 || status === 503) return retryLater(code, what, 1);
  const scope = scopes.join(' ');
  const headers: Readonly<Record<number, Readonly<Record<string, string>>>> = {
    401: { 'WWW-Authenticate': `${CHALLENGE}, error="invalid_token"` },
    403: { 'WWW-Authenticate': `${CHALLENGE}, error="insufficient_scope", scope="${scope}"` },
  };
  return new Problem(code, `${what}.`, headers[status]);
}

function idOf({ parameters, body }: AnyInput): unknown {
  return parameters['id'] ?? (body as { readonly id?: bigint } | undefined)?.id;
}
