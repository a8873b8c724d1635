/** The outcomes of a client as text and as JSON. */

import { columns } from '../../src/cli/output.ts';
import { printable } from '../../src/util/printable.ts';
import { version } from '../../src/util/version.generated.ts';
import type { ClientGrading, ClientRun } from '../grade/client/client-run.ts';
import { countOutcomes } from '../grade/client/verdict.ts';
import { recordText } from './record-text.ts';

/** The version of the form of the record. */
const FORM = 1;
/** Every record begins with it. */
export const RECORD_BEGINNING = '{\n  "form": ';

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
  const summary = countOutcomes(groups)
    .flatMap(([outcome, count]) => (count === 0 ? [] : [`${count} ${outcome}`]))
    .join(', ');
  const parts = [
    ...(runs.length < scenarios.length ? [`Stopped: ${runs.length} of ${scenarios.length} scenarios were run.`] : []),
    columns([['SCENARIO', 'OUTCOME', 'ATTEMPTS', ''], ...rows], width),
    groups.length === runs.length ? summary : `${summary}\nScenarios that look the same to the client count once.`,
    `The files of each scenario are in ${printable(output)}.`,
  ];
  return `${parts.join('\n\n')}\n`;
}

export function clientRecord(
  grading: ClientGrading,
  runs: readonly ClientRun[],
  description: string | undefined,
): string {
  const { command, attemptTimeout, timeout, jobs } = grading;
  const outcomes = runs.map(({ scenario: { name, does, pair }, ...run }) => ({ scenario: name, does, pair, ...run }));
  const record = { form: FORM, plantStore: version, client: description, command, attemptTimeout, timeout, jobs };
  return recordText({ ...record, outcomes });
}
