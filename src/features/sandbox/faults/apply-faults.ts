/** Applies faults to requests: runs the hooks of their kinds around the operation and when the response is written. */
import type { AnyResult } from '../../../contract/operation.ts';
import { Problem } from '../../../errors.ts';
import { type AnyInput, ClientGone, type Exchange, type Matched } from '../../../http/exchange.ts';
import type { Steps } from '../../../http/pipeline.ts';
import { SHORT } from '../../../http/reserve.ts';
import { isStream, problemResponse, type Response } from '../../../http/response.ts';
import type { PlantId } from '../../../plants/plant.ts';
import type { Budgets } from '../budgets.ts';
import { explainFull } from '../explain-full.ts';
import type { SandboxContext } from '../sandbox.ts';
import type { SandboxCredential } from '../sandbox-credential.ts';
import type { Sandbox } from '../sandbox-records.ts';
import { hasStream } from './event-responses.ts';
import type { AppliedFault, PlannedFault } from './fault-kind.ts';
import { KINDS } from './fault-kinds.generated.ts';
import { prepareRival } from './other-client.ts';
import { reaches } from './possible-faults.ts';
import { preferredStatus, readFault } from './requested-fault.ts';
import type { Rules } from './rules.ts';

/** The most bytes of the response to a write besides those of its body: an id, or the message of a Problem. */
const BESIDES_BODY = 512;

/** Carries out the operation of a request, if its sandbox has not ended. */
export type Operate = () => AnyResult | Promise<AnyResult>;

export interface Faults {
  /** Wraps `perform` once the input is valid. A fault after the commit follows in `hold`. */
  perform(exchange: Matched, input: AnyInput, credential: SandboxCredential, operate: Operate): ReturnType<Operate>;
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

export function createFaults(
  rules: Rules,
  { now, counts, plants }: SandboxContext,
  { waiting, memory }: Budgets,
): Faults {
  /** The fault that the request asks for or that a rule chooses, if it can happen on this connection. */
  const plan = (exchange: Matched, sandbox: Sandbox, input: AnyInput) => {
    const { operation, request, outgoing } = exchange;
    const { accept, fault, prefer } = request.headers;
    const isStream = hasStream(accept, operation);
    if (fault !== undefined) {
      const asked = readFault(String(fault), operation, isStream);
      if (reaches(asked, exchange.place === 1)) return asked;
      // It needs a new connection, so the response closes this one.
      if (!reaches(asked, false)) outgoing.setHeader('Connection', 'close');
      return undefined;
    }
    const status = prefer === undefined ? undefined : preferredStatus(String(prefer), operation);
    if (status === undefined) return rules.choose(sandbox, exchange, idOf(input), isStream);
    exchange.headers = { ...exchange.headers, 'Preference-Applied': `code=${status}` };
    return { kind: 'status', status, isAfterCommit: false } as const;
  };

  /** Runs a hook that may wait. */
  const interrupt = async (hook: 'before' | 'after', exchange: Exchange, applied: AppliedFault) => {
    const { fault } = applied;
    if ((hook === 'after') !== fault.isAfterCommit) return undefined;
    const began = performance.now();
    const problem = await KINDS[fault.kind][hook]?.(fault, exchange);
    exchange.excuse(performance.now() - began);
    applied.isError = problem !== undefined;
    return problem;
  };
  const performWith = async (
    fault: PlannedFault,
    exchange: Exchange,
    input: AnyInput,
    credential: SandboxCredential,
    operate: Operate,
  ) => {
    const losesResponse = KINDS[fault.kind].losesResponse?.(fault) ?? false;
    const text = textOf(fault);
    const applied: AppliedFault = { fault, text, note: `fault: ${text}`, losesResponse, isError: false };
    credential.applied = applied;
    exchange.staged = applied;
    counts.faults++;
    const id = idOf(input);
    const interfere =
      id !== undefined && fault.other && (await prepareRival(plants, credential.store, id, fault.other));
    const problem = await interrupt('before', exchange, applied);
    if (!isLate(fault) && exchange.outgoing.destroyed) throw new ClientGone();
    if (interfere && !fault.isAfterCommit) await interfere();
    const own = problem ?? (await resultOf(operate));
    const result = own instanceof Problem ? own : (KINDS[fault.kind].result?.(fault, own) ?? own);
    if (interfere && fault.isAfterCommit) await resultOf(interfere);
    return result;
  };
  const holdFaulty = async (
    exchange: Exchange,
    sandbox: Sandbox,
    applied: AppliedFault,
    encoded: Response | Promise<Response>,
  ) => {
    const response = await encoded;
    const { body } = response;
    const bytes = body === undefined || isStream(body) ? 0 : Buffer.byteLength(body);
    // The step `encode` has counted a longer body.
    const more = bytes - exchange.reserved;
    if (bytes <= SHORT && more > 0) memory.reserveUntilSent(sandbox, more, exchange);
    const problem = await interrupt('after', exchange, applied);
    const replaced = KINDS[applied.fault.kind].response?.(applied.fault, now());
    if (replaced !== undefined) applied.isError = true;
    return replaced ?? (problem === undefined ? response : problemResponse(problem));
  };

  return {
    perform(exchange, input, credential, operate) {
      const { sandbox } = credential;
      const fault = plan(exchange, sandbox, input);
      if (fault === undefined) return operate();
      // A write is not carried out unless there is room for its response, which is not much longer than its body.
      exchange.reserved = (exchange.body?.length ?? 0) + BESIDES_BODY;
      memory.reserveUntilSent(sandbox, exchange.reserved, exchange);
      const perform = () => performWith(fault, exchange, input, credential, operate);
      if (isLate(fault)) {
        // The request keeps its place and its body after its client has left.
        const bytes = exchange.body?.length ?? 0;
        return waiting.during(sandbox, 1, () => memory.during(sandbox, bytes, perform));
      }
      if (KINDS[fault.kind].waits?.(fault)) waiting.reserveUntilSent(sandbox, 1, exchange);
      return perform();
    },

    hold: (exchange, { sandbox, applied }, response) =>
      applied === undefined ? response : holdFaulty(exchange, sandbox, applied, response),

    write(exchange, { sandbox, applied }, response, write) {
      if (rules.closes(sandbox)) exchange.outgoing.setHeader('Connection', 'close');
      const fault = applied?.fault;
      const own = fault && KINDS[fault.kind].write;
      if (fault === undefined || own === undefined) return write(exchange, response);
      return own(fault, exchange, response, { write, countWaiting: () => waiting.all });
    },
  };
}

/**
 * Resolves to the result, or to the Problem that was thrown. So a fault after the commit also follows a refusal, and
 * another client that is refused after the commit changes nothing of the response.
 */
async function resultOf<Result>(run: () => Result | Promise<Result>): Promise<Result | Problem> {
  try {
    return await run();
  } catch (error) {
    const explained = explainFull(error);
    if (explained instanceof Problem) return explained;
    throw explained;
  }
}

/** The fault as the record of requests shows it. */
function textOf({ kind, other, isAfterCommit }: PlannedFault): string {
  return kind + (isAfterCommit ? ', after commit' : '') + (other === undefined ? '' : `, other client: ${other}`);
}

/** Whether the operation is carried out although its client has left. */
function isLate(fault: PlannedFault): boolean {
  return KINDS[fault.kind].isLate?.(fault) ?? false;
}

/** The plant's id in the path or in the body. */
function idOf({ parameters, body }: AnyInput): PlantId | undefined {
  return (parameters as { readonly id?: PlantId }).id ?? (body as { readonly id?: PlantId } | undefined)?.id;
}
