/** The outcomes of a client or a receiver as text. */
import { columns, wrap } from '../../src/cli/output.ts';
import { countOutcomes, type Judged } from '../grade/outcomes.ts';
import type { ScenarioGrading } from '../grade/scenario-runs.ts';
import { type Candidate, meaningOf, pageOf } from './candidates.ts';
import type { RecordedRun } from './scenario-record.ts';

export function scenarioText(
  candidate: Candidate,
  { scenarios, output }: ScenarioGrading<unknown>,
  runs: readonly RecordedRun[],
  width: number,
  program: string,
): string {
  const hasConduct = runs.some(({ conduct }) => conduct !== undefined);
  const rows = runs.map((run) => [
    ...[run.scenario, run.outcome, ...(hasConduct ? [String(run.conduct?.attempts)] : [])],
    notesOn(run).join(', '),
  ]);
  const counts = countOutcomes(candidate.outcomes, runs).filter(([, count]) => count > 0);
  const explained = counts.flatMap(([outcome]) => {
    if (outcome === candidate.outcomes[0]) return [];
    return [[outcome, `${meaningOf(candidate, outcome)}.`]];
  });
  const page = `http://127.0.0.1:8080${pageOf(candidate)}#outcomes`;
  const more = `To read about each outcome, run ${program} serve --demo and open ${page}.`;
  const files = `The files of each scenario are in ${output}. service.json has ${candidate.view}.`;
  const parts = [
    ...(runs.length < scenarios.length ? [`Stopped: ${runs.length} of ${scenarios.length} scenarios were run.`] : []),
    columns([['SCENARIO', 'OUTCOME', ...(hasConduct ? ['ATTEMPTS'] : []), ''], ...rows], width),
    [sumOf(candidate, runs), ...explainPairs(candidate, runs)].join('\n'),
    ...(explained.length === 0 ? [] : [columns(explained, width), wrap(more, width).join('\n')]),
    wrap(files, width).join('\n'),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** What the outcome does not show: the conduct of a client, and the reason. */
export function notesOn({ conduct, reason, problem }: RecordedRun): readonly string[] {
  return [
    ...(conduct !== undefined && conduct.early > 0 ? ['did not wait for Retry-After'] : []),
    ...(conduct !== undefined && conduct.repeatedFinal > 0 ? ['repeated a final response'] : []),
    ...(conduct?.hasChangedBody ? ['changed the body'] : []),
    ...[reason, problem].filter((one) => one !== undefined),
  ];
}

/** For example `33 right, 15 unknown, 2 ghost`. */
export const sumOf = ({ outcomes }: Candidate, runs: readonly Judged[]): string =>
  countOutcomes(outcomes, runs)
    .filter(([, count]) => count > 0)
    .map(([outcome, count]) => `${count} ${outcome}`)
    .join(', ');

/** A sentence if the sum counts fewer outcomes than there are scenarios. */
function explainPairs({ outcomes }: Candidate, runs: readonly Judged[]): readonly string[] {
  const counted = countOutcomes(outcomes, runs).reduce((sum, [, count]) => sum + count, 0);
  if (counted === runs.length) return [];
  return [
    `These are ${counted} outcomes of ${runs.length} scenarios: scenarios that look the same to the client count once.`,
  ];
}
