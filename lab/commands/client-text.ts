/** The outcomes of a client as text. */

import { columns, wrap } from '../../src/cli/output.ts';
import type { ClientGrading, ClientRun } from '../grade/client/client-run.ts';
import { linkTo, MEANINGS } from '../grade/client/meanings.ts';
import { countOutcomes } from '../grade/client/verdict.ts';

export function clientText({ scenarios, output }: ClientGrading, runs: readonly ClientRun[], width: number): string {
  const rows = runs.map(({ scenario, outcome, reason, conduct, problem }) => {
    const { attempts, early, repeatedFinal, hasChangedBody } = conduct;
    const notes = [
      ...(early > 0 ? ['did not wait for Retry-After'] : []),
      ...(repeatedFinal > 0 ? ['repeated a final response'] : []),
      ...(hasChangedBody ? ['changed the body'] : []),
      ...[reason, problem].filter((one) => one !== undefined),
    ];
    return [scenario.name, outcome, String(attempts), notes.join(', ')];
  });
  const groups = [...Map.groupBy(runs, ({ scenario: { name, pair = name } }) => pair).values()];
  const counts = countOutcomes(groups).filter(([, count]) => count > 0);
  const summary = counts.map(([outcome, count]) => `${count} ${outcome}`).join(', ');
  const explained = counts.flatMap(([outcome]) => {
    return outcome === 'right' ? [] : [[outcome, `${meaningOf(outcome)}. See ${linkTo(outcome)}`]];
  });
  const parts = [
    ...(runs.length < scenarios.length ? [`Stopped: ${runs.length} of ${scenarios.length} scenarios were run.`] : []),
    columns([['SCENARIO', 'OUTCOME', 'ATTEMPTS', ''], ...rows], width),
    groups.length === runs.length ? summary : `${summary}\nScenarios that look the same to the client count once.`,
    ...(explained.length === 0 ? [] : [columns(explained, width)]),
    wrap(`The files of each scenario are in ${output}. service.json has what the service saw.`, width).join('\n'),
  ];
  return `${parts.join('\n\n')}\n`;
}

const meaningOf = (outcome: keyof typeof MEANINGS) => MEANINGS[outcome].replaceAll('*', '"');
