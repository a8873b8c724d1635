/** Grades a tester: runs it on a service with each defect, and several times on a clean service (a control). */
import type { Counts } from '../defects/counts.ts';
import { type Planned, planOf } from './plan.ts';
import type { Stage, Truth } from './subject.ts';
import { type Grading, type Run, runOnce } from './tester-run.ts';

export { type Grading, type Limit, type Run, removeRuns } from './tester-run.ts';

/** Follows the progress of a grading. `done` runs of `all` have ended. */
export interface Watcher {
  begins(run: Planned, done: number, all: number): void;
  /** If it rejects, the grading ends. */
  ended(run: Run, done: number, all: number): void | Promise<void>;
}

/** Why not all defects were graded. */
export type Halt = 'clean service fails' | 'no report' | 'floor' | 'stopped';

export interface Graded {
  /** First the controls, then the runs with each defect, in the order of the defects. */
  readonly runs: readonly Run[];
  readonly halt: Halt | undefined;
}

/**
 * Runs until the end or until `aborted`. `done` are runs of an earlier grading with the same plan, which are not
 * repeated. Rejects with CannotStart, or with a StartupError if a service or a file fails.
 */
export async function grade(
  grading: Grading,
  stage: Stage,
  watcher: Watcher,
  aborted: AbortSignal,
  done: readonly Run[] = [],
): Promise<Graded> {
  const runs = [...done];
  const failed = new AbortController();
  const stop = AbortSignal.any([aborted, failed.signal]);
  const planned = planOf(grading);
  const all = planned.length;
  const perform = async (one: Planned) => {
    if (stop.aborted || runs.some(({ name }) => name === one.name)) return;
    watcher.begins(one, runs.length, all);
    try {
      const run = await runOnce(one, grading, stage, stop);
      // A run that was cut off does not count.
      if (stop.aborted) return;
      runs.push(run);
      await watcher.ended(run, runs.length, all);
    } catch (error) {
      // The other runs end. Only the first error is reported.
      if (!stop.aborted) failed.abort(error);
    }
  };
  const [first] = planned;
  if (first !== undefined) await perform(first);
  const begun = runs.find(({ name }) => name === first?.name);
  const halt = begun && haltAfterFirst(begun, grading);
  // A later control may still pass the floor, so the other controls run.
  const rest = halt === undefined ? planned : halt === 'floor' ? planned.filter(({ defect }) => !defect) : [];
  const waiting = rest.values();
  const work = async () => {
    for (const one of waiting) await perform(one);
  };
  await Promise.all(Array.from({ length: grading.jobs }, work));
  failed.signal.throwIfAborted();
  return { runs: inOrder(runs, grading.defects), halt: aborted.aborted ? 'stopped' : halt };
}

/** First the controls, then the runs with each defect, in the order of the defects. */
function inOrder(runs: readonly Run[], defects: readonly Truth[]): readonly Run[] {
  const placeOf = ({ defect }: Run) => (defect === undefined ? -1 : defects.indexOf(defect));
  return runs.toSorted((a, b) => placeOf(a) - placeOf(b) || a.round - b.round);
}

/** Why the result of the first control makes the runs with defects pointless. */
function haltAfterFirst({ findings, unread, counts }: Run, { verdict, service }: Grading): Halt | undefined {
  if (verdict === 'exit-code' && findings.length > 0) return 'clean service fails';
  if (unread !== undefined) return 'no report';
  return belowFloor([counts], service) === undefined ? undefined : 'floor';
}

/** The first requirement for every tester that this tester never met. */
export function belowFloor(counts: readonly Counts[], service: Grading['service']): string | undefined {
  const sum = (key: 'requests' | 'credentials' | 'succeeded') => counts.reduce((sum, each) => sum + each[key], 0);
  if (sum('requests') === 0) return 'never got a response below 300, because it sent no request';
  if (service.needsCredential && sum('credentials') === 0) return 'never sent a credential';
  return sum('succeeded') === 0 ? 'never got a response below 300 from an operation' : undefined;
}
