/** Applies faults to requests: around the operation, and when the response is written. */
import type { AnyResult, Operation } from '../contract/operation.ts';
import { type AnyInput, ClientGone, type Exchange, type Finishable } from '../http/exchange.ts';
import type { Steps } from '../http/pipeline.ts';
import { SHORT } from '../http/reserve.ts';
import { isStream, problemResponse, type Response } from '../http/response.ts';
import type { Budgets } from './budgets.ts';
import { preferredStatus, readFault } from './fields.ts';
import { faultText, KINDS, type PlannedFault, pause, planFault, reaches } from './kinds.ts';
import { createRules } from './rules.ts';
import type { Sandbox } from './sandbox.ts';

/** A fault that was applied to a request, and the milliseconds that the request waited because of it. */
export interface AppliedFault {
  readonly fault: PlannedFault;
  waited: number;
}

export interface Faults {
  /** How many requests got a fault. */
  count(): number;
  appliedTo(exchange: Finishable): AppliedFault | undefined;
  /**
   * Wraps `perform` once the input is valid. `operate` carries out the operation. A fault after the commit follows in
   * `hold`.
   */
  perform(exchange: Exchange, input: AnyInput, sandbox: Sandbox, operate: () => Promise<AnyResult>): Promise<AnyResult>;
  /** Counts the bytes of a response that waits because of a fault, and applies a fault after the commit. */
  hold(exchange: Exchange, sandbox: Sandbox, response: Response | Promise<Response>): Response | Promise<Response>;
  /** Wraps the step `write`. `sandbox` is undefined if the request has no valid token of a sandbox. */
  write(
    exchange: Exchange,
    sandbox: Sandbox | undefined,
    response: Response,
    write: Steps['write'],
  ): void | Promise<void>;
}

/** `random` returns a number from 0 up to 1. */
export function createFaults(random: () => number, { waiting, responses }: Budgets): Faults {
  const rules = createRules(random);
  const applied = new WeakMap<Finishable, AppliedFault>();
  let count = 0;

  /** The fault, if it can happen on this connection. If not, the client uses another connection for its next request. */
  const meet = (exchange: Exchange, fault: PlannedFault) => {
    if (reaches(fault, exchange.isFirst)) return fault;
    exchange.outgoing.shouldKeepAlive = false;
    return undefined;
  };
  /** The fault that the request asks for or that a rule chooses. */
  const plan = (exchange: Exchange, operation: Operation, sandbox: Sandbox, input: AnyInput) => {
    const { fault, prefer } = exchange.request.headers;
    if (fault !== undefined) return meet(exchange, readFault(String(fault), operation));
    const status = preferredStatus(prefer?.toString(), operation);
    if (status === undefined) return rules.choose(sandbox, operation, idOf(input), exchange.isFirst);
    exchange.headers = { ...exchange.headers, 'Preference-Applied': `code=${status}` };
    return planFault({ kind: 'status', status }, false);
  };

  const apply = async (exchange: Exchange, one: AppliedFault) => {
    const wait = async (milliseconds: number) => {
      const began = performance.now();
      await pause(exchange, milliseconds);
      one.waited = performance.now() - began;
      // The log and the metrics leave this time out, since the service was not slow.
      exchange.began += one.waited;
    };
    return KINDS[one.fault.kind].perform?.(one.fault, exchange.operation as Operation, wait);
  };
  const performWith = async (
    fault: PlannedFault,
    exchange: Exchange,
    sandbox: Sandbox,
    operate: () => Promise<AnyResult>,
  ): Promise<AnyResult> => {
    if (KINDS[fault.kind].waits) waiting.reserveUntilSent(sandbox, 1, exchange);
    const one: AppliedFault = { fault, waited: 0 };
    applied.set(exchange, one);
    exchange.fault = faultText(fault);
    count++;
    if (fault.isAfterCommit) return operate();
    const problem = await apply(exchange, one);
    if (exchange.outgoing.destroyed) throw new ClientGone();
    return problem ?? operate();
  };
  const holdEncoded = async (exchange: Exchange, sandbox: Sandbox, one: AppliedFault, response: Response) => {
    const { body } = response;
    const bytes = body === undefined || isStream(body) ? 0 : Buffer.byteLength(body);
    // The step `encode` has counted a longer body.
    if (bytes <= SHORT) responses.reserveUntilSent(sandbox, bytes, exchange);
    const problem = one.fault.isAfterCommit ? await apply(exchange, one) : undefined;
    return problem === undefined ? response : problemResponse(problem);
  };

  return {
    count: () => count,
    appliedTo: (exchange) => applied.get(exchange),

    perform(exchange, input, sandbox, operate) {
      const fault = plan(exchange, exchange.operation as Operation, sandbox, input);
      return fault === undefined ? operate() : performWith(fault, exchange, sandbox, operate);
    },

    hold(exchange, sandbox, response) {
      const one = applied.get(exchange);
      if (one === undefined || !(one.fault.isAfterCommit || KINDS[one.fault.kind].waits)) return response;
      const hold = (encoded: Response) => holdEncoded(exchange, sandbox, one, encoded);
      return response instanceof Promise ? response.then(hold) : hold(response);
    },

    write(exchange, sandbox, response, write) {
      if (sandbox !== undefined && rules.closes(sandbox)) exchange.outgoing.shouldKeepAlive = false;
      const fault = applied.get(exchange)?.fault;
      if (fault === undefined) return write(exchange, response);
      const kind = KINDS[fault.kind];
      if (kind.write !== undefined) return kind.write(exchange, response, write);
      const body = exchange.request.method === 'HEAD' ? '' : (response.body ?? '');
      if (kind.writeBody === undefined || isStream(body) || body.length === 0) return write(exchange, response);
      exchange.outgoing.shouldKeepAlive = false;
      exchange.outgoing.writeHead(response.status, response.headers);
      return kind.writeBody(fault, Buffer.isBuffer(body) ? body : Buffer.from(body), exchange, () => waiting.all);
    },
  };
}

/** The plant's id in the path or in the body. */
function idOf({ parameters, body }: AnyInput): unknown {
  return parameters['id'] ?? (body as { readonly id?: bigint } | undefined)?.id;
}
