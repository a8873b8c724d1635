/** Applies faults to requests: around the operation, and when the response is written. */
import type { AnyResult, Operation } from '../contract/operation.ts';
import type { AnyInput, Exchange, Finishable } from '../http/exchange.ts';
import { ClientGone } from '../http/input.ts';
import type { Steps } from '../http/pipeline.ts';
import { isStream, type Response } from '../http/response.ts';
import { preferredStatus, readFault } from './fields.ts';
import { KINDS, type PlannedFault, planFault } from './kinds.ts';
import { createRules } from './rules.ts';
import type { Sandbox } from './sandbox.ts';
import { pause, Waiting } from './waiting.ts';

/** A fault that was applied to a request, and the milliseconds that the request waited because of it. */
export interface AppliedFault {
  readonly fault: PlannedFault;
  waited: number;
}

export interface Faults {
  /** The number of requests that wait now because of a fault. */
  countWaiting(): number;
  appliedTo(exchange: Finishable): AppliedFault | undefined;
  /** Wraps `perform` once the input is valid. `operate` carries out the operation. */
  perform(exchange: Exchange, input: AnyInput, sandbox: Sandbox, operate: () => Promise<AnyResult>): Promise<AnyResult>;
  /** Wraps the step `write`. */
  write(exchange: Exchange, response: Response, write: Steps['write']): void | Promise<void>;
}

/** `random` returns a number from 0 up to 1. */
export function createFaults(random: () => number): Faults {
  const rules = createRules(random);
  const waiting = new Waiting();
  const applied = new WeakMap<Finishable, AppliedFault>();

  /** The fault that the request asks for or that a rule chooses. */
  const plan = (exchange: Exchange, operation: Operation, sandbox: Sandbox, input: AnyInput) => {
    const { fault, prefer } = exchange.request.headers;
    if (fault !== undefined) return readFault(String(fault), operation);
    const status = preferredStatus(prefer?.toString(), operation);
    if (status === undefined) return rules.choose(sandbox, operation, idOf(input));
    exchange.headers = { ...exchange.headers, 'Preference-Applied': `code=${status}` };
    return planFault({ kind: 'status', status }, false);
  };

  const wait = async (exchange: Exchange, one: AppliedFault, milliseconds: number) => {
    const began = performance.now();
    await waiting.hold(() => pause(exchange, milliseconds));
    one.waited = performance.now() - began;
    // The log and the metrics leave this time out, since the service was not slow.
    exchange.began += one.waited;
  };

  return {
    countWaiting: () => waiting.count,
    appliedTo: (exchange) => applied.get(exchange),

    async perform(exchange, input, sandbox, operate) {
      const operation = exchange.operation as Operation;
      const fault = plan(exchange, operation, sandbox, input);
      if (fault === undefined) return operate();
      const kind = KINDS[fault.kind];
      if (kind.waits) waiting.requireRoom();
      const one: AppliedFault = { fault, waited: 0 };
      applied.set(exchange, one);
      const apply = async () => kind.perform?.(fault, operation, (milliseconds) => wait(exchange, one, milliseconds));
      if (fault.isAfterCommit) {
        const result = await operate();
        return (await apply()) ?? result;
      }
      const problem = await apply();
      if (exchange.outgoing.destroyed) throw new ClientGone();
      return problem ?? operate();
    },

    write(exchange, response, write) {
      const fault = applied.get(exchange)?.fault;
      if (fault === undefined) return write(exchange, response);
      const kind = KINDS[fault.kind];
      if (kind.write !== undefined) return kind.write(exchange, response, write);
      const body = exchange.request.method === 'HEAD' ? '' : (response.body ?? '');
      if (kind.writeBody === undefined || isStream(body) || body.length === 0) return write(exchange, response);
      exchange.outgoing.shouldKeepAlive = false;
      exchange.outgoing.writeHead(response.status, response.headers);
      return kind.writeBody(fault, Buffer.from(body), exchange, waiting);
    },
  };
}

/** The plant's id in the path or in the body. */
function idOf({ parameters, body }: AnyInput): unknown {
  return parameters['id'] ?? (body as { readonly id?: bigint } | undefined)?.id;
}
