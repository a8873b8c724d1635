/** Applies faults to requests: around the operation, and when the response is written. */
import type { AnyResult, Operation } from '../../contract/operation.ts';
import { Problem } from '../../errors.ts';
import { preferredType } from '../../http/accept.ts';
import { type AnyInput, ClientGone, type Exchange } from '../../http/exchange.ts';
import type { Steps } from '../../http/pipeline.ts';
import { SHORT } from '../../http/reserve.ts';
import { isStream, problemResponse, type Response } from '../../http/response.ts';
import type { PlantId } from '../../plants/plant.ts';
import type { Budgets } from './budgets.ts';
import type { SandboxCredential } from './credential.ts';
import { preferredStatus, readFault } from './fields.ts';
import { KINDS } from './kinds.ts';
import { type AppliedFault, faultText, isLate, type PlannedFault, reaches, waits } from './planned-fault.ts';
import type { Rival } from './rival.ts';
import { createRules, type Rules } from './rules.ts';
import type { Sandbox } from './sandbox.ts';
import { pause, pauseWithClient } from './wait.ts';

/** What a fault may do in the store of the sandbox. */
export interface Store {
  /** Carries out the operation of the request. */
  readonly operate: () => Promise<AnyResult>;
  /** Resolves to another client's operation on the plant. */
  readonly prepareRival: (id: PlantId, rival: Rival) => Promise<() => Promise<unknown>>;
}

export interface Faults {
  /** How many requests got a fault. */
  count(): number;
  /** How often each rule of a sandbox matched and applied. */
  countsOf: Rules['counts'];
  /** Wraps `perform` once the input is valid. A fault after the commit follows in `hold`. */
  perform(exchange: Exchange, input: AnyInput, credential: SandboxCredential, store: Store): Promise<AnyResult>;
  /** Counts the bytes of a response that waits because of a fault, and applies a fault after the commit. */
  hold(
    exchange: Exchange,
    credential: SandboxCredential,
    response: Response | Promise<Response>,
  ): Response | Promise<Response>;
  /** Wraps the step `write`. */
  write(
    exchange: Exchange,
    credential: SandboxCredential,
    response: Response,
    write: Steps['write'],
  ): void | Promise<void>;
}

/** `random` returns a number from 0 up to 1, `now` milliseconds since 1970. */
export function createFaults(random: () => number, now: () => number, { waiting, responses }: Budgets): Faults {
  const rules = createRules(random);
  let count = 0;

  /**
   * The fault, if it can happen on this connection. If not, the client uses another connection for its next request.
   */
  const meet = (exchange: Exchange, fault: PlannedFault) => {
    if (reaches(fault, exchange.place === 1)) return fault;
    if (fault.connection === 'first') exchange.outgoing.shouldKeepAlive = false;
    return undefined;
  };
  /** The fault that the request asks for or that a rule chooses. */
  const plan = (exchange: Exchange, operation: Operation, sandbox: Sandbox, input: AnyInput) => {
    const { accept, fault, prefer } = exchange.request.headers;
    const isStream = hasStream(accept, operation);
    if (fault !== undefined) return meet(exchange, readFault(String(fault), operation, isStream));
    const status = preferredStatus(prefer?.toString(), operation);
    if (status === undefined)
      return rules.choose(sandbox, { operation, id: idOf(input), isFirst: exchange.place === 1, isStream });
    exchange.headers = { ...exchange.headers, 'Preference-Applied': `code=${status}` };
    return { kind: 'status', status, isAfterCommit: false } as const;
  };

  const apply = async (exchange: Exchange, one: AppliedFault) => {
    const { fault } = one;
    const wait = async (milliseconds: number) => {
      const began = performance.now();
      await (isLate(fault) ? pause(milliseconds, exchange.stopping) : pauseWithClient(exchange, milliseconds));
      one.waited = performance.now() - began;
      // The log and the metrics leave this time out, since the service was not slow.
      exchange.began += one.waited;
    };
    return KINDS[fault.kind].perform?.(fault, exchange, wait);
  };
  const performWith = async (
    fault: PlannedFault,
    exchange: Exchange,
    input: AnyInput,
    credential: SandboxCredential,
    store: Store,
  ) => {
    const one: AppliedFault = { fault, waited: 0 };
    credential.applied = one;
    exchange.fault = faultText(fault);
    count++;
    const id = idOf(input);
    const interfere = id !== undefined && fault.other && (await store.prepareRival(id, fault.other));
    const problem = fault.isAfterCommit ? undefined : await apply(exchange, one);
    if (!isLate(fault) && exchange.outgoing.destroyed) throw new ClientGone();
    if (interfere && !fault.isAfterCommit) await interfere();
    const own = problem ?? (await store.operate());
    const result = own instanceof Problem ? own : (KINDS[fault.kind].change?.(fault, own) ?? own);
    if (interfere && fault.isAfterCommit) await interfere();
    return result;
  };
  const holdEncoded = async (exchange: Exchange, sandbox: Sandbox, one: AppliedFault, response: Response) => {
    const [{ fault }, { body }] = [one, response];
    const bytes = body === undefined || isStream(body) ? 0 : Buffer.byteLength(body);
    // The step `encode` has counted a longer body.
    if (bytes <= SHORT) responses.reserveUntilSent(sandbox, bytes, exchange);
    const problem = fault.isAfterCommit ? await apply(exchange, one) : undefined;
    const own = KINDS[fault.kind].respond?.(fault, now());
    return own ?? (problem === undefined ? response : problemResponse(problem));
  };

  return {
    count: () => count,
    countsOf: rules.counts,

    perform(exchange, input, credential, store) {
      const { sandbox } = credential;
      const fault = plan(exchange, exchange.operation as Operation, sandbox, input);
      if (fault === undefined) return store.operate();
      const perform = () => performWith(fault, exchange, input, credential, store);
      if (isLate(fault)) {
        // The request keeps its place and its body after its client has left.
        const bytes = exchange.body?.length ?? 0;
        return waiting.during(sandbox, 1, () => responses.during(sandbox, bytes, perform));
      }
      if (waits(fault)) waiting.reserveUntilSent(sandbox, 1, exchange);
      return perform();
    },

    hold(exchange, { sandbox, applied }, response) {
      if (applied === undefined) return response;
      const hold = (encoded: Response) => holdEncoded(exchange, sandbox, applied, encoded);
      return response instanceof Promise ? response.then(hold) : hold(response);
    },

    write(exchange, { sandbox, applied }, response, write) {
      if (rules.closes(sandbox)) exchange.outgoing.shouldKeepAlive = false;
      const fault = applied?.fault;
      const own = fault === undefined ? undefined : KINDS[fault.kind].write;
      if (fault === undefined || own === undefined) return write(exchange, response);
      return own(fault, exchange, response, { write, countWaiting: () => waiting.all });
    },
  };
}

const JSON_TYPE = 'application/json';

/** Whether the response to a request with this Accept field is a stream. */
function hasStream(accept: string | undefined, { otherTypes }: Operation): boolean {
  const others = otherTypes?.[200];
  return others !== undefined && preferredType(accept, [JSON_TYPE, ...others]) !== JSON_TYPE;
}

/** The plant's id in the path or in the body. */
function idOf({ parameters, body }: AnyInput): PlantId | undefined {
  return (parameters as { readonly id?: PlantId }).id ?? (body as { readonly id?: PlantId } | undefined)?.id;
}
