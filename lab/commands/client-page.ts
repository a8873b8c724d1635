/** Results of clients as one HTML page without scripts and without references to other files. */
import { type Html, html, lines, type Part } from '../../src/util/html.ts';
import { countOf } from '../../src/util/printable.ts';
import { meaningOf } from '../grade/client/meanings.ts';
import { OUTCOMES } from '../grade/client/verdict.ts';
import { type ClientRecord, type RecordedRun, titleOfClient } from './client-record.ts';
import { notesOn, sumOf } from './client-text.ts';
import { type Colour, cell, columnHeads, matrix, matrixPage, row, table } from './matrix-page.ts';

export const COLOURS: Readonly<Record<RecordedRun['outcome'], Colour>> = {
  right: 'good',
  unknown: 'none',
  disputed: 'fair',
  'wrong data': 'bad',
  ghost: 'bad',
  lost: 'bad',
  overwritten: 'bad',
  void: 'none',
};

const PAIRS = 'Scenarios that look the same to the client count once in the sum, with the worst outcome.';

export function clientPageOf(records: readonly ClientRecord[]): string {
  const titles = records.map(titleOfClient);
  const [only] = titles.length === 1 ? titles : [];
  const runs = records.flatMap(({ outcomes }) => outcomes);
  const scenarios = new Map(runs.map(({ scenario, does }) => [scenario, does]));
  const rows = [...scenarios].map(([scenario, does]) => {
    const cells = records.map(({ outcomes }) => cellOf(outcomes.find((one) => one.scenario === scenario)));
    return row(scenario, does, cells);
  });
  const met = [...OUTCOMES, 'void' as const].filter((one) => runs.some(({ outcome }) => outcome === one));
  const did = only === undefined ? 'Each client did the same tasks' : 'The client did its tasks';
  const hasPairs = runs.some(({ pair }) => pair !== undefined);
  const summaries = records.map((record) => summaryOf(record, only === undefined));
  const heading = only === undefined ? 'What HTTP clients do to your data' : `What ${only} does to your data`;
  const body = html`${lines(summaries)}
<h2>How to read the table</h2>
<p>${did} while things went wrong. A cell has the outcome and the number of requests that the service
received. The outcome compares what the client believes with what the store
holds. ${hasPairs ? PAIRS : ''}</p>
<ul>
${lines(met.map((outcome) => html`<li>${outcome}: ${meaningOf(outcome)}.</li>`))}
</ul>
<p><code>docs/grade-client.md</code> explains each outcome, and how to repair the client.</p>
<h2>Scenario by scenario</h2>
${matrix('Scenarios', 'Scenario', titles, rows)}
<h2>How ${only === undefined ? 'the clients' : 'the client'} ran</h2>
${lines(records.map((record, i) => conductOf(record, titles[i] ?? '')))}`;
  return matrixPage(heading, heading, body);
}

/** What a reader wants first: the sum, and of which client and command it is. */
function summaryOf(record: ClientRecord, isOneOfMany: boolean): Html {
  const { outcomes, command, plantStore } = record;
  return html`${isOneOfMany ? html`<h2>${titleOfClient(record)}</h2>` : ''}
<p class="score">${sumOf(outcomes)}</p>
<p><code>${command.join(' ')}</code></p>
<p>${countOf(outcomes.length, 'scenario')} on Plant Store ${plantStore}</p>`;
}

function cellOf(run: RecordedRun | undefined): Html {
  if (run === undefined) return cell('none', 'not graded');
  const { outcome, conduct } = run;
  return cell(COLOURS[outcome], outcome, [countOf(conduct.attempts, 'request'), ...notesOn(run)]);
}

function conductOf({ plantStore, attemptTimeout, timeout, jobs, outcomes }: ClientRecord, title: string): Html {
  const sum = (read: (conduct: RecordedRun['conduct']) => number) =>
    outcomes.reduce((total, { conduct }) => total + read(conduct), 0);
  const facts: Readonly<Record<string, Part>> = {
    Requests: sum(({ attempts }) => attempts),
    'Requests that did not wait for Retry-After': sum(({ early }) => early),
    'Requests that repeated a final response': sum(({ repeatedFinal }) => repeatedFinal),
    'Longest time of an attempt': `${attemptTimeout} ms`,
    'Longest time of a scenario': `${timeout} ms`,
    'Scenarios at the same time': jobs,
    'Plant Store': plantStore,
  };
  const rows = Object.entries(facts).map(
    ([name, value]) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>`,
  );
  return table(`${title}: how it ran`, columnHeads(['What', 'Value']), rows);
}
