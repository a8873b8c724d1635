/** What the runs say of a tester: of every defect one of three outcomes, and how often it was wrong. */
import type { Defect, Tier } from '../defects/defect.ts';
import { FAILED } from './findings.ts';
import type { Run } from './grade.ts';

/**
 * `not met`: none of the tester's requests made the defect show. `missed`: it showed, and the tester did not notice.
 * `found`: in a run in which it showed, the tester had a finding that it had in no run in which nothing was wrong.
 */
export type Outcome = 'not met' | 'missed' | 'found';

export interface DefectScore {
  readonly defect: Defect;
  readonly outcome: Outcome;
  /** Those by which it was found. */
  readonly findings: readonly string[];
}

/** How many defects were found, of those that the tester met, of all that were planted. */
export interface Cell {
  readonly found: number;
  readonly met: number;
  readonly planted: number;
}

export interface TierScore {
  readonly tier: Tier;
  readonly schema: Cell;
  readonly prose: Cell;
}

export interface Score {
  readonly tiers: readonly TierScore[];
  readonly defects: readonly DefectScore[];
  /** Controls with a finding. */
  readonly falseAlarms: readonly Run[];
  /** Runs with a finding that no control had, though the defect never showed: false alarms as well. */
  readonly groundless: readonly Run[];
}

/** Of the defects whose runs are all there. */
export function scoreOf(runs: readonly Run[], seeds: number): Score {
  const controls = runs.filter(({ defect }) => defect === undefined);
  // By the exit code there is one finding, and a control that has it too is a false alarm beside the score.
  const findingsOf = (some: readonly Run[]) => {
    return new Set(some.flatMap(({ findings }) => findings).filter((finding) => finding !== FAILED));
  };
  const onControls = findingsOf(controls);
  // A service whose defect never showed did nothing wrong, as on a control.
  const onRight = findingsOf(runs.filter(({ counts }) => counts.shown === 0));
  const defects = [...Map.groupBy(runs, ({ defect }) => defect)].flatMap(([defect, runs]) => {
    if (defect === undefined || runs.length < seeds) return [];
    const showed = runs.filter(({ counts }) => counts.shown > 0);
    const findings = [...new Set(showed.flatMap(({ findings }) => findings))].filter((one) => !onRight.has(one));
    const outcome: Outcome = showed.length === 0 ? 'not met' : findings.length === 0 ? 'missed' : 'found';
    return [{ defect, outcome, findings }];
  });
  const tiers = [...Map.groupBy(defects, ({ defect }) => defect.tier)].map(([tier, all]) => {
    const cell = (stands: Defect['stands']) => cellOf(all.filter(({ defect }) => defect.stands === stands));
    return { tier, schema: cell('schema'), prose: cell('prose') };
  });
  return {
    tiers,
    defects,
    falseAlarms: controls.filter(({ findings }) => findings.length > 0),
    groundless: runs.filter(({ defect, counts, findings }) => {
      return defect !== undefined && counts.shown === 0 && findings.some((one) => !onControls.has(one));
    }),
  };
}

function cellOf(defects: readonly DefectScore[]): Cell {
  const count = (outcome: Outcome) => defects.filter((each) => each.outcome === outcome).length;
  return { found: count('found'), met: count('found') + count('missed'), planted: defects.length };
}
