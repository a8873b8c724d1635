/** Faults on request: they wrap `perform`, before or behind the operation, and `write`, for what happens to the response. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { AnyResult, Operation } from '../contract/operation.ts';
import { catalogue, type ErrorCode, Problem } from '../errors.ts';
import type { Exchange } from '../http/exchange.ts';
import { type AnyInput, ClientGone } from '../http/input.ts';
import type { Steps } from '../http/pipeline.ts';
import type { Response } from '../http/response.ts';
import { preferredStatus, readFault } from './fields.ts';
import { createRules, type PlannedFault } from './rules.ts';
import type { Sandbox } from './sandboxes.ts';

/** How many requests wait, or are written slowly, in this process: each keeps some kilobytes. */
const MOST_WAITING = 10_000;
/** Of a slow response, so many pieces are written in a second. */
const PIECES_A_SECOND = 10;

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

export function createFaults(random: () => number) {
  const rules = createRules(random);
  const planned = new WeakMap<Exchange, PlannedFault>();
  let waiting = 0;

  /** As long as it takes; cut short when the service stops. Throws ClientGone when the client leaves. */
  const wait = async (exchange: Exchange, milliseconds: number) => {
    if (waiting >= MOST_WAITING) throw overloaded();
    waiting++;
    try {
      await sleep(milliseconds, undefined, { signal: exchange.signal });
    } catch {
      if (exchange.outgoing.destroyed) throw new ClientGone();
    } finally {
      waiting--;
    }
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
    /** The fault that a request meets, for the record. */
    of: (exchange: Exchange) => planned.get(exchange),

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
      planned.set(exchange, fault);
      if (!fault.isAfterCommit) return (await happen(exchange, operation, fault)) ?? perform();
      const result = await perform();
      const problem = await happen(exchange, operation, fault);
      // Of a response that is lost it is recorded what it was.
      return fault.kind === 'reset' ? result : (problem ?? result);
    },

    write(exchange: Exchange, response: Response, write: Steps['write']): void | Promise<void> {
      const fault = planned.get(exchange);
      if (fault?.kind === 'reset') {
        exchange.request.socket.resetAndDestroy();
        return undefined;
      }
      const hasBody = response.body !== undefined && response.body.length > 0 && exchange.request.method !== 'HEAD';
      if (!hasBody || (fault?.kind !== 'truncate' && fault?.kind !== 'slow')) return write(exchange, response);
      const body = Buffer.from(response.body ?? '');
      const { outgoing } = exchange;
      outgoing.shouldKeepAlive = false;
      outgoing.writeHead(response.status, response.headers);
      if (fault.kind === 'slow') return writeSlowly(exchange, body, fault.rate ?? 1);
      outgoing.write(body.subarray(0, body.length / 2), () => exchange.request.socket.end());
      return undefined;
    },
  };

  async function writeSlowly(exchange: Exchange, body: Buffer, rate: number): Promise<void> {
    const piece = Math.max(1, Math.floor(rate / PIECES_A_SECOND));
    const pause = (piece / rate) * 1_000;
    let at = 0;
    try {
      for (; at + piece < body.length && !exchange.stopping.aborted; at += piece) {
        exchange.outgoing.write(body.subarray(at, at + piece));
        await wait(exchange, pause);
      }
      exchange.outgoing.end(body.subarray(at));
    } catch {
      // The client has left, or too many wait: what was begun cannot become another response.
      exchange.outgoing.destroy();
    }
  }
}

function overloaded(): Problem<50301> {
  return new Problem(50301, 'Too many faults wait; retry after 1 s.', { 'Retry-After': '1' });
}

/** The service's own error of a status that the operation declares, as it would be without a fault. */
function problemOf(status: number, { scopes = [] }: Operation): Problem {
  const code = CODES[status] ?? 50000;
  const scope = scopes.join(' ');
  const headers: Readonly<Record<number, Readonly<Record<string, string>>>> = {
    401: { 'WWW-Authenticate': `${CHALLENGE}, error="invalid_token"` },
    403: { 'WWW-Authenticate': `${CHALLENGE}, error="insufficient_scope", scope="${scope}"` },
    429: { 'Retry-After': '1' },
    503: { 'Retry-After': '1' },
  };
  return new Problem(code, `A fault of the sandbox: ${catalogue[code]}`, headers[status]);
}

function idOf({ parameters, body }: AnyInput): unknown {
  return parameters['id'] ?? (body as { readonly id?: bigint } | undefined)?.id;
}
