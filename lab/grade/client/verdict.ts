/** Compares what a client believes with what the store and the wire show. It reads no prose of the client. */
import type { NewPlant, Plant } from '../../../src/contract/openapi.generated.ts';
import type { ClientOutcome } from '../../util/meanings.ts';
import type { Scenario } from './scenario.ts';

/** The belief of a client about its task. */
export interface Belief {
  readonly of: 'done' | 'failed' | 'unknown';
  /** The plants that the client has read, for `get` and `list`. Undefined: its report has none. */
  readonly plants: readonly NewPlant[] | undefined;
  /** The final status that the client got, if it reports one. */
  readonly status: number | undefined;
  /** Whether the client reports no response, and no belief of its own. */
  readonly isMissing: boolean;
}

/** A request of the task that the service received. */
export interface Attempt {
  /** Milliseconds since 1970. */
  readonly begins: number;
  readonly ends: number;
  readonly status: number;
  readonly body: string | undefined;
  readonly hasFault: boolean;
  /** Whether the client left before the response. */
  readonly isAbandoned: boolean;
  /** Whether the service has carried out the operation, although the client may have got an error or nothing. */
  readonly isCarriedOut: boolean;
  /** The milliseconds of the Retry-After that the response had. Undefined: it had none. */
  readonly retryAfter: number | undefined;
}

/** Conduct that the outcome does not show. */
export interface Conduct {
  readonly attempts: number;
  /** Attempts that began before 95 % of the Retry-After had passed. */
  readonly early: number;
  /** Repetitions after a final 400, 404 or 412, which only a change of the request can help. */
  readonly repeatedFinal: number;
  /** Whether an attempt had another body than the first. */
  readonly hasChangedBody: boolean;
}

/**
 * Why the scenario has not happened to the client, so that there is nothing to judge. Undefined: it has happened.
 * `hasWaited`: the command ran on for the time of an attempt after the last request. A client that ends earlier has
 * refused the response, and its time-out has not passed. `hasLooked`: other requests showed that the task must fail.
 */
export function reasonAgainst(
  { isMissing }: Belief,
  attempts: readonly Attempt[],
  hasMetFaults: boolean,
  hasWaited: boolean,
  hasLooked = false,
): string | undefined {
  const last = attempts.at(-1);
  if (last === undefined && !hasLooked) return 'no request of a task arrived with its token';
  const isLate = attempts.some(({ hasFault, isAbandoned }) => isAbandoned && !hasFault);
  const isUnread = isMissing && hasWaited && !last?.hasFault;
  if (isLate || isUnread) return 'a response without a fault came after the time-out';
  return hasMetFaults ? undefined : 'no request met the fault';
}

/** `stored`: the plants at the end. */
export function judge(
  scenario: Scenario,
  belief: Belief,
  attempts: readonly Attempt[],
  stored: readonly NewPlant[],
): ClientOutcome {
  const { task, plants, added = [] } = scenario;
  // No task changes another plant than its own.
  const others = new Map([...plants, ...added].map((one) => [one.id, one]));
  if (stored.some((one) => one.id !== task.plant.id && !isSame(one, others.get(one.id)))) return 'wrong data';
  if (task.kind === 'get' || task.kind === 'list') return judgeRead(scenario, belief);
  const plant = stored.find(({ id }) => id === task.plant.id);
  return judgeWrite(scenario, belief, attempts, plant);
}

function judgeRead({ plants, added = [], right, task: { kind, plant } }: Scenario, belief: Belief): ClientOutcome {
  if (belief.of === 'unknown') return right === 'open' ? 'right' : 'unknown';
  if ((belief.of === 'failed') !== (right === 'failure')) return 'wrong data';
  if (right === 'failure') return 'right';
  const wanted = kind === 'list' ? plants : plants.filter(({ id }) => id === plant.id);
  const allowed = new Map([...wanted, ...added].map((one) => [one.id, one]));
  const read = belief.plants ?? [];
  const isTrue = read.every((one) => isSame(one, allowed.get(one.id)));
  const isWhole = wanted.every(({ id }) => read.filter((one) => one.id === id).length === 1);
  return isTrue && isWhole ? 'right' : 'wrong data';
}

function judgeWrite(
  { plants, other, right, task: { kind, plant, isConditional } }: Scenario,
  belief: Belief,
  attempts: readonly Attempt[],
  stored: Plant | undefined,
): ClientOutcome {
  const before = plants.find(({ id }) => id === plant.id);
  const after = kind === 'delete' ? undefined : plant;
  const isDone = attempts.some(({ isCarriedOut }) => isCarriedOut);
  if (other !== undefined && !isSame(stored, other)) {
    // A replacement without If-Match asks for the last word.
    return kind === 'replace' && !isConditional ? 'disputed' : 'overwritten';
  }
  if (other === undefined && !isSame(stored, isDone ? after : before)) return 'wrong data';
  if (belief.of === 'done') return isDone ? 'right' : 'lost';
  if (belief.of === 'unknown') return right === 'open' || other !== undefined ? 'right' : 'unknown';
  // The plant is gone, as the client wanted. The 404 of a repeated DELETE can be read as success or as failure.
  if (isDone) return kind === 'delete' && belief.status === 404 ? 'disputed' : 'ghost';
  return right === 'failure' ? 'right' : 'unknown';
}

function isSame(one: Plant | undefined, other: Plant | undefined): boolean {
  return one?.name === other?.name && one?.tag === other?.tag;
}

const FINAL = [400, 404, 412];
/** Clocks and timers are not exact. */
const PATIENCE = 0.95;

export function conductOf(attempts: readonly Attempt[]): Conduct {
  const pairs = attempts.slice(1).map((next, i) => ({ last: attempts[i], next }));
  return {
    attempts: attempts.length,
    early: pairs.filter(({ last, next }) => {
      return last?.retryAfter !== undefined && next.begins - last.ends < PATIENCE * last.retryAfter;
    }).length,
    repeatedFinal: pairs.filter(({ last }) => last !== undefined && FINAL.includes(last.status)).length,
    hasChangedBody: attempts.some(({ body }) => body !== attempts[0]?.body),
  };
}
