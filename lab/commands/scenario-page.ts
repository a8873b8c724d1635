/** Results of clients or of receivers as one HTML page without scripts and without references to other files. */
import { type Html, html, lines, type Part } from '../../src/util/html.ts';
import { countOf } from '../../src/util/printable.ts';
import { type Candidate, candidateOf, colourOf, meaningOf, pageOf } from './candidates.ts';
import { cell, columnHeads, distinguish, matrix, matrixPage, row, table } from './matrix-page.ts';
import { type RecordedRun, type ScenarioRecord, titleOf } from './scenario-record.ts';
import { notesOn, sumOf } from './scenario-text.ts';

const PAIRS = 'Scenarios that look the same to the client count once in the sum, with the worst outcome.';

/** All records are of the same kind of candidate. `files`: from where they are. */
export function scenarioPage(records: readonly ScenarioRecord[], files: readonly string[] = []): string {
  const candidate = candidateOf(records[0] ?? {});
  const titles = distinguish(records.map(titleOf), files);
  const [only] = titles.length === 1 ? titles : [];
  const runs = records.flatMap(({ outcomes }) => outcomes);
  const scenarios = new Map(runs.map(({ scenario, does }) => [scenario, does]));
  const rows = [...scenarios].map(([scenario, does]) => {
    const cells = records.map(({ outcomes }) => {
      return cellOf(
        candidate,
        outcomes.find((one) => one.scenario === scenario),
      );
    });
    return row(scenario, does, cells);
  });
  const met = [...candidate.outcomes, 'void'].filter((one) => runs.some(({ outcome }) => outcome === one));
  const hasPairs = runs.some(({ pair }) => pair !== undefined);
  const summaries = records.map((record, i) =>
    summaryOf(candidate, record, only === undefined ? titles[i] : undefined),
  );
  const heading = candidate.heading(only);
  const body = html`${lines(summaries)}
<h2>How to read the table</h2>
<p>${candidate.legend} ${hasPairs ? PAIRS : ''}</p>
<ul>
${lines(met.map((outcome) => html`<li>${outcome}: ${meaningOf(candidate, outcome)}.</li>`))}
</ul>
<p>The page <code>${pageOf(candidate)}</code> explains each outcome, and how to repair the ${candidate.name}.
Every Plant Store serves it: start one with <code>plantstore serve --demo</code>.</p>
<h2>Scenario by scenario</h2>
${matrix('Scenarios', 'Scenario', titles, rows)}
<h2>How the ${candidate.name}${only === undefined ? 's' : ''} ran</h2>
${lines(records.map((record, i) => conductOf(record, titles[i] ?? '')))}`;
  return matrixPage(heading, heading, body);
}

/** What a reader wants first: the sum, and of which program and command it is. */
function summaryOf(candidate: Candidate, record: ScenarioRecord, title: string | undefined): Html {
  const { outcomes, command, plantStore } = record;
  return html`${title === undefined ? '' : html`<h2>${title}</h2>`}
<p class="score">${sumOf(candidate, outcomes)}</p>
<p><code>${command.join(' ')}</code></p>
<p>${countOf(outcomes.length, 'scenario')} on Plant Store ${plantStore}</p>`;
}

function cellOf(candidate: Candidate, run: RecordedRun | undefined): Html {
  if (run === undefined) return cell('none', 'not graded');
  const { outcome, conduct } = run;
  const requests = conduct === undefined ? [] : [countOf(conduct.attempts, 'request')];
  return cell(colourOf(candidate, outcome), outcome, [...requests, ...notesOn(run)]);
}

function conductOf({ plantStore, attemptTimeout, path, timeout, jobs, outcomes }: ScenarioRecord, title: string): Html {
  const conducts = outcomes.flatMap(({ conduct }) => (conduct === undefined ? [] : [conduct]));
  const sum = (read: (conduct: (typeof conducts)[number]) => number) =>
    conducts.reduce((total, conduct) => total + read(conduct), 0);
  const facts: Readonly<Record<string, Part>> = {
    ...(conducts.length > 0 && {
      Requests: sum(({ attempts }) => attempts),
      'Requests that did not wait for Retry-After': sum(({ early }) => early),
      'Requests that repeated a final response': sum(({ repeatedFinal }) => repeatedFinal),
    }),
    ...(attemptTimeout !== undefined && { 'Longest time of an attempt': `${attemptTimeout} ms` }),
    ...(path !== undefined && { 'Path of the address': path }),
    [path === undefined ? 'Longest time of a scenario' : 'Longest time to start']: `${timeout} ms`,
    'Scenarios at the same time': jobs,
    'Plant Store': plantStore,
  };
  const rows = Object.entries(facts).map(
    ([name, value]) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>`,
  );
  return table(`${title}: how it ran`, columnHeads(['What', 'Value']), rows);
}
