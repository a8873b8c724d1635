/** What a client must achieve, so that a CI job can fail: no outcome of some kinds, and none worse than before. */
import { OUTCOMES, type Outcome } from '../grade/client/verdict.ts';
import type { ClientRecord, RecordedRun } from './client-record.ts';

type Judged = RecordedRun['outcome'];

export interface ClientDemands {
  /** The outcomes that no scenario may have. */
  readonly failOn: readonly Judged[];
  /** The record of an earlier grading. */
  readonly baseline: ClientRecord | undefined;
}

/** One sentence for each demand that is not met. */
export function unmetDemands(
  runs: readonly Pick<RecordedRun, 'scenario' | 'outcome'>[],
  { failOn, baseline }: ClientDemands,
): readonly string[] {
  const failed = failOn.flatMap((kind) => {
    const names = runs.filter(({ outcome }) => outcome === kind).map(({ scenario }) => scenario);
    return names.length === 0 ? [] : [`The outcome ${kind} is not allowed: ${names.join(', ')}.`];
  });
  const worse = changesBetween(baseline?.outcomes ?? [], runs)
    .filter(({ before, after }) => isWorse(after, before))
    .map(({ scenario, before, after }) => `${scenario} (${before}, now ${after})`);
  return [...failed, ...(worse.length === 0 ? [] : [`Worse than the baseline: ${worse.join(', ')}.`])];
}

interface Change {
  readonly scenario: string;
  readonly before: Judged;
  readonly after: Judged;
}

/** The scenarios whose outcomes differ. */
export function changesBetween(
  before: readonly Pick<RecordedRun, 'scenario' | 'outcome'>[],
  after: readonly Pick<RecordedRun, 'scenario' | 'outcome'>[],
): readonly Change[] {
  const outcomes = new Map(before.map(({ scenario, outcome }) => [scenario, outcome]));
  return after.flatMap(({ scenario, outcome }) => {
    const earlier = outcomes.get(scenario);
    return earlier === undefined || earlier === outcome ? [] : [{ scenario, before: earlier, after: outcome }];
  });
}

/** A void outcome is neither better nor worse than another. */
export function isWorse(one: Judged, other: Judged): boolean {
  if (one === 'void' || other === 'void') return false;
  return place(one) > place(other);
}

const place = (outcome: Outcome) => OUTCOMES.indexOf(outcome);

type Compared = Pick<ClientRecord, 'plantStore' | 'attemptTimeout'> & {
  readonly outcomes: readonly Pick<RecordedRun, 'scenario'>[];
};

/** Why two records are not fully comparable. */
export function differencesOf(one: Compared, other: Compared): readonly string[] {
  const names = ({ outcomes }: Compared) => new Set(outcomes.map(({ scenario }) => scenario));
  const apart = names(one).symmetricDifference(names(other)).size;
  return [
    ...(one.plantStore === other.plantStore ? [] : ['The versions of Plant Store differ.']),
    ...(one.attemptTimeout === other.attemptTimeout ? [] : ['The time-outs of an attempt differ.']),
    ...(apart === 0 ? [] : ['Only the scenarios that both gradings contain are compared.']),
  ];
}
