/** The plan of a grading: which runs there are, in an order that reveals no defect to the tester. */
import { hash } from 'node:crypto';
import type { Truth } from './subject.ts';

/** A run to be done. Without a defect it is a control. */
export interface Planned {
  /** Such as `run-07`. The tester can read it, so it does not depend on the defect. */
  readonly name: string;
  readonly defect: Truth | undefined;
  /** Counts the runs with this defect, or the controls, from 1. */
  readonly round: number;
  /** The tester's {seed}: the number of the run. No two runs have the same seed, so no run repeats a control. */
  readonly seed: number;
}

/** With fewer controls, a tester that fails at random seems to find something. */
export const FEWEST_CONTROLS = 3;

interface Plan {
  readonly defects: readonly Truth[];
  /** At least as many as `seeds`. */
  readonly controls: number;
  /** Number of runs with each defect. */
  readonly seeds: number;
  /** The seed of the random order. */
  readonly order: number;
}

/** Plans all runs in a random order, in which the first run is a control. */
export function planOf({ defects, controls, seeds, order }: Plan): readonly Planned[] {
  const runs = [undefined, ...defects].flatMap((defect) => {
    const rounds = defect === undefined ? Math.max(controls, seeds, FEWEST_CONTROLS) : seeds;
    return Array.from({ length: rounds }, (_, i) => ({ defect, round: i + 1 }));
  });
  const keyOf = ({ defect, round }: (typeof runs)[number]) => hash('sha256', `${order} ${defect?.name} ${round}`);
  const shuffled = runs
    .map((run) => ({ run, key: keyOf(run) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ run }, i) => ({ ...run, name: nameOf(i + 1, runs.length), seed: i + 1 }));
  // The first run decides whether the others make sense. It keeps its number, which would otherwise reveal a control.
  const first = shuffled.findIndex(({ defect }) => defect === undefined);
  return [...shuffled.splice(first, 1), ...shuffled];
}

const nameOf = (number: number, all: number) => `run-${String(number).padStart(Math.max(2, String(all).length), '0')}`;
