/** The outcomes of a client as text. */

import { columns, wrap } from '../../src/cli/output.ts';
import type { ClientGrading, ClientRun } from '../grade/client/client-run.ts';
import { linkTo, meaningOf } from '../grade/client/meanings.ts';
import { type Conduct, countOutcomes } from '../grade/client/verdict.ts';

export function clientText({ scenarios, output }: ClientGrading, runs: readonly ClientRun[], width: number): string {
  const rows = runs.map((run) => {
    return [run.scenario.name, run.outcome, String(run.conduct.attempts), notesOn(run).join(', ')];
  });
  const judged = runs.map(({ scenario: { name, pair }, outcome }) => ({ scenario: name, pair, outcome }));
  const counts = countOutcomes(judged).filter(([, count]) => count > 0);
  const explained = counts.flatMap(([outcome]) => {
    return outcome === 'right' ? [] : [[outcome, `${meaningOf(outcome)}. See ${linkTo(outcome)}`]];
  });
  const parts = [
    ...(runs.length < scenarios.length ? [`Stopped: ${runs.length} of ${scenarios.length} scenarios were run.`] : []),
    columns([['SCENARIO', 'OUTCOME', 'ATTEMPTS', ''], ...rows], width),
    [sumOf(judged), ...explainPairs(judged)].join('\n'),
    ...(explained.length === 0 ? [] : [columns(explained, width)]),
    wrap(`The files of each scenario are in ${output}. service.json has what the service saw.`, width).join('\n'),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** What the outcome does not show: the conduct of the client, and why the outcome is void or the report unreadable. */
export function notesOn({
  conduct: { early, repeatedFinal, hasChangedBody },
  reason,
  problem,
}: {
  readonly conduct: Conduct;
  readonly reason?: string | undefined;
  readonly problem?: string | undefined;
}): readonly string[] {
  return [
    ...(early > 0 ? ['did not wait for Retry-After'] : []),
    ...(repeatedFinal > 0 ? ['repeated a final response'] : []),
    ...(hasChangedBody ? ['changed the body'] : []),
    ...[reason, problem].filter((one) => one !== undefined),
  ];
}

type Judged = Parameters<typeof countOutcomes>[0];

/** For example `33 right, 15 unknown, 2 ghost`. */
export const sumOf = (runs: Judged): string =>
  countOutcomes(runs)
    .filter(([, count]) => count > 0)
    .map(([outcome, count]) => `${count} ${outcome}`)
    .join(', ');

/** A sentence if the sum counts fewer outcomes than there are scenarios. */
function explainPairs(runs: Judged): readonly string[] {
  const counted = countOutcomes(runs).reduce((sum, [, count]) => sum + count, 0);
  if (counted === runs.length) return [];
  return [
    `These are ${counted} outcomes of ${runs.length} scenarios: scenarios that look the same to the client count once.`,
  ];
}
