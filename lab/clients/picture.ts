/** Makes .artifacts/client-results.html: the outcomes of docs/client-results.md as tables, one for each language. */
import { type Html, html, lines } from '../../src/util/html.ts';
import { countOf } from '../../src/util/printable.ts';
import { CLIENT, colourOf } from '../commands/candidates.ts';
import { cell, matrix, matrixPage, row } from '../commands/matrix-page.ts';
import { type Column, columnsOf, type Graded, type Run } from './client-results-page.ts';

export function picture(graded: readonly Graded[]): string {
  const languages = Map.groupBy(columnsOf(graded), ({ client }) => client.language);
  const matrices = [...languages].map(([language, columns]) => {
    const titles = columns.map(({ client }) => client.title);
    return matrix(language, 'Scenario', titles, rowsOf(columns));
  });
  const body = html`<p>Each client did the same tasks while things went wrong. A cell has the outcome and the number of
requests that the service received. The outcome compares what the client believes with what the store holds. Each
outcome is explained in <code>docs/client-results.md</code>.</p>
<h2>Scenario by scenario</h2>
${lines(matrices)}`;
  return matrixPage('What HTTP clients do to your data', 'What HTTP clients do to your data', body);
}

function rowsOf(columns: readonly Column[]): readonly Html[] {
  const scenarios = columns[0]?.runs ?? [];
  return scenarios.map(({ scenario, does }, i) => {
    const cells = columns.map(({ runs, gradings }) => cellOf(runs[i], gradings[1]?.outcomes[i]));
    return row(scenario, does, cells);
  });
}

function cellOf(run: Run | undefined, second: Run | undefined): Html {
  if (run === undefined) return cell('none', 'not graded');
  const { outcome, conduct, reason } = run;
  if (outcome === 'void') return cell('none', 'void', reason === undefined ? [] : [reason]);
  const isOther = second !== undefined && second.outcome !== 'void' && second.outcome !== outcome;
  const count = countOf(conduct.attempts, 'request');
  return cell(colourOf(CLIENT, outcome), outcome, isOther ? [count, `${second.outcome} in the second pass`] : [count]);
}
