/** The score of a tester from its runs: an outcome for every defect, and the false alarms. */
import type { Defect, Tier } from '../defects/defect.ts';
import { FAILED } from './findings.ts';
import type { Run } from './grade.ts';

/**
 * `not triggered`: no request of the tester triggered the defect. `missed`: the tester triggered it and did not notice.
 * `found`: a run that triggered the defect has a finding that occurs in no run without a triggered defect.
 */
export type Outcome = 'not triggered' | 'missed' | 'found';

export interface DefectScore {
  readonly defect: Defect;
  readonly outcome: Outcome;
  /** The findings that count: they occur in no run without a triggered defect. */
  readonly findings: readonly string[];
}

/** How many defects were found, how many were triggered (found or missed), and how many were planted. */
export interface Cell {
  readonly found: number;
  readonly triggered: number;
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
  /** Runs that did not trigger their defect but have a finding that no control has. They are false alarms too. */
  readonly groundless: readonly Run[];
}

/** Scores each defect whose runs are all done. */
export function scoreOf(runs: readonly Run[], seeds: number): Score {
  const controls = runs.filter(({ defect }) => defect === undefined);
  // All failed exit codes are the same finding. On a control it counts as a false alarm, but it hides no defect.
  const findingsOf = (some: readonly Run[]) => {
    return new Set(some.flatMap(({ findings }) => findings).filter((finding) => finding !== FAILED));
  };
  const onControls = findingsOf(controls);
  // A service whose defect was not triggered behaves like the service of a control.
  const onRight = findingsOf(runs.filter(({ counts }) => counts.triggered === 0));
  const defects = [...Map.groupBy(runs, ({ defect }) => defect)].flatMap(([defect, runs]) => {
    if (defect === undefined || runs.length < seeds) return [];
    const triggered = runs.filter(({ counts }) => counts.triggered > 0);
    const findings = [...new Set(triggered.flatMap(({ findings }) => findings))].filter((one) => !onRight.has(one));
    const outcome: Outcome = triggered.length === 0 ? 'not triggered' : findings.length === 0 ? 'missed' : 'found';
    return [{ defect, outcome, findings }];
  });
  const tiers = [...Map.groupBy(defects, ({ defect }) => defect.tier)].map(([tier, all]) => {
    const cell = (ruleIn: Defect['ruleIn']) => cellOf(all.filter(({ defect }) => defect.ruleIn === ruleIn));
    return { tier, schema: cell('schema'), prose: cell('prose') };
  });
  return {
    tiers,
    defects,
    falseAlarms: controls.filter(({ findings }) => findings.length > 0),
    groundless: runs.filter(({ defect, counts, findings }) => {
      return defect !== undefined && counts.triggered === 0 && findings.some((one) => !onControls.has(one));
    }),
  };
}

function cellOf(defects: readonly DefectScore[]): Cell {
  const count = (outcome: Outcome) => defects.filter((each) => each.outcome === outcome).length;
  return { found: count('found'), triggered: count('found') + count('missed'), planted: defects.length };
}
