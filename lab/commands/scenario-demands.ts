/** What a candidate must achieve, so that a CI job can fail: no outcome of some kinds, and none worse than before. */
import { columns, wrap } from '../../src/cli/output.ts';
import type { Candidate } from './candidates.ts';
import type { RecordedRun, ScenarioRecord } from './scenario-record.ts';

type Judged = Pick<RecordedRun, 'scenario' | 'outcome'>;

export interface Demands {
  /** The outcomes that no scenario may have. Undefined: the default of the candidate. */
  readonly failOn: readonly string[] | undefined;
  /** The record of an earlier grading. */
  readonly baseline: ScenarioRecord | undefined;
}

interface Unmet {
  readonly isUnmet: boolean;
  /** One text for each demand of the user that is not met. */
  readonly reasons: readonly string[];
}

/** `width`: that of the texts, in characters. */
export function unmetDemands(
  candidate: Candidate,
  runs: readonly Judged[],
  { failOn, baseline }: Demands,
  width: number,
): Unmet {
  const [best] = candidate.outcomes;
  if (failOn === undefined && baseline === undefined && candidate.isStrict)
    return { isUnmet: runs.some(({ outcome }) => outcome !== best), reasons: [] };
  const failed = (failOn ?? []).flatMap((kind) => {
    const names = runs.filter(({ outcome }) => outcome === kind).map(({ scenario }) => scenario);
    const text = wrap(`The outcome ${kind} is not allowed: ${names.join(', ')}.`, width).join('\n');
    return names.length === 0 ? [] : [text];
  });
  const worse = changesBetween(baseline?.outcomes ?? [], runs)
    .filter(({ before, after }) => isWorse(candidate, after, before))
    .map(({ scenario, before, after }) => [scenario, before, after]);
  const table = columns([['SCENARIO', 'BASELINE', 'NOW'], ...worse]);
  const reasons = [...failed, ...(worse.length === 0 ? [] : [`Worse than the baseline:\n\n${table}`])];
  return { isUnmet: reasons.length > 0, reasons };
}

interface Change {
  readonly scenario: string;
  readonly before: string;
  readonly after: string;
}

/** The scenarios whose outcomes differ. */
export function changesBetween(before: readonly Judged[], after: readonly Judged[]): readonly Change[] {
  const outcomes = new Map(before.map(({ scenario, outcome }) => [scenario, outcome]));
  return after.flatMap(({ scenario, outcome }) => {
    const earlier = outcomes.get(scenario);
    return earlier === undefined || earlier === outcome ? [] : [{ scenario, before: earlier, after: outcome }];
  });
}

/** A void outcome is neither better nor worse than another. */
export function isWorse({ outcomes }: Candidate, one: string, other: string): boolean {
  if (one === 'void' || other === 'void') return false;
  return outcomes.indexOf(one) > outcomes.indexOf(other);
}

/** Why two records are not fully comparable. */
export function differencesOf(one: ScenarioRecord, other: ScenarioRecord): readonly string[] {
  const names = ({ outcomes }: ScenarioRecord) => new Set(outcomes.map(({ scenario }) => scenario));
  const apart = names(one).symmetricDifference(names(other)).size;
  return [
    ...(one.plantStore === other.plantStore ? [] : ['The versions of Plant Store differ.']),
    ...(one.attemptTimeout === other.attemptTimeout ? [] : ['The time-outs of an attempt differ.']),
    ...(apart === 0 ? [] : ['Only the scenarios that both gradings contain are compared.']),
  ];
}
