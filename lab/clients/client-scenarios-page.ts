/** Makes docs/client-scenarios.md: the outcome of each client in each scenario, and how two passes differed. */

import { table, wrapped } from '../../scripts/markdown.ts';
import { CLIENT_MEANINGS } from '../util/meanings.ts';
import { type Column, columnsOf, type Graded, type Run } from './client-results-page.ts';

const LETTERS: Readonly<Record<Run['outcome'], string>> = {
  right: '·',
  unknown: 'u',
  disputed: 'd',
  'wrong data': 'W',
  ghost: 'G',
  lost: 'L',
  overwritten: 'O',
  void: 'v',
};

export function describeScenarios(graded: readonly Graded[]): string {
  const columns = columnsOf(graded);
  const [first] = columns;
  if (first === undefined) throw new Error('no client has a record');
  return `# HTTP clients, scenario by scenario

<!-- guide: Grade 75, under client-results -->
<!-- Made by npm run grade:clients; not to be edited. -->

[What HTTP clients do to your data](client-results.md) has the sums and how the clients were run.

## The outcome of each scenario

${LEGEND}

The columns have the numbers of [the scenarios](#the-scenarios).

${matrix(columns)}

## The scenarios

${scenarios(first.runs)}

## Differences between the two passes

${differences(columns)}
`;
}

const LEGEND = `A cell has two letters if the two passes have different outcomes.

${table(
  ['letter', 'outcome', 'meaning'],
  Object.entries(CLIENT_MEANINGS).map(([outcome, meaning]) => [LETTERS[outcome as Run['outcome']], outcome, meaning]),
)}

[Disputed](grade-client.md#disputed) explains the two cases on which opinions differ.`;

function matrix(columns: readonly Column[]): string {
  const numbers = columns[0]?.runs.map((_, i) => String(i + 1)) ?? [];
  return table(
    ['Configuration', ...numbers],
    columns.map(({ client, runs, gradings }) => [
      client.title,
      ...runs.map(({ outcome }, i) => {
        const other = gradings[1]?.outcomes[i]?.outcome ?? outcome;
        return LETTERS[outcome] + (other === outcome || other === 'void' ? '' : LETTERS[other]);
      }),
    ]),
  );
}

function scenarios(runs: readonly Run[]): string {
  return `\
Scenarios with the same text in the column *Pair* look the same to the client. They count once in [the table of
outcomes](client-results.md#outcomes), with the worst outcome, because a careless client is right in one of them by
luck. \`npm run grade:clients -- --page\` makes \`.artifacts/client-results.html\`, which shows the same outcomes as
a picture.

${table(
  ['Column', 'Scenario', 'What happens', 'Pair'],
  runs.map(({ scenario, does, pair = '' }, i) => [String(i + 1), `\`${scenario}\``, does, pair]),
)}`;
}

function differences(columns: readonly Column[]): string {
  const lines = columns.flatMap(({ client, gradings: [first, second] }) =>
    (first?.outcomes ?? []).flatMap(({ scenario, outcome }, i) => {
      const other = second?.outcomes[i]?.outcome;
      return other === undefined || other === outcome || other === 'void' || outcome === 'void'
        ? []
        : [`- ${client.title}, \`${scenario}\`: ${outcome}, then ${other}.`];
    }),
  );
  const once = columns.filter(({ gradings }) => gradings.length < 2).map(({ client }) => client.title);
  const same =
    once.length === 0
      ? 'Every outcome was the same in both passes.'
      : 'Every configuration that ran twice had the same outcomes.';
  return [
    ...(lines.length === 0 ? [same] : [lines.join('\n')]),
    ...voids(columns),
    ...(once.length === 0 ? [] : [wrapped(`Run only once: ${once.join(', ')}.`)]),
  ].join('\n\n');
}

/** The void outcomes of both passes, by reason. */
function voids(columns: readonly Column[]): readonly string[] {
  const all = columns.flatMap(({ client, gradings }) =>
    gradings.flatMap(({ outcomes }) =>
      outcomes.flatMap(({ scenario, reason }) => (reason === undefined ? [] : [{ client, scenario, reason }])),
    ),
  );
  const lines = [...Map.groupBy(all, ({ client, reason }) => `${client.title}: ${reason}`)].map(([what, some]) => {
    const scenarios = new Set(some.map(({ scenario }) => `\`${scenario}\``));
    return `- ${what} (${[...scenarios].join(', ')}).`;
  });
  return lines.length === 0
    ? []
    : [
        'Void outcomes, in one of the passes or in both:',
        lines.map((line) => wrapped(line).replaceAll('\n', '\n  ')).join('\n'),
      ];
}
