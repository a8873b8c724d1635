/** Makes docs/client-results.md from the output of `plantstore grade client --json`. */

import { table, wrapped } from '../../scripts/markdown.ts';
import { countOutcomes, OUTCOMES, type Outcome } from '../grade/client/verdict.ts';
import type { Named } from '../testers/folders.ts';

export interface Row {
  readonly title: string;
  readonly language: string;
  /** The version of the client. Default: the version of the program that it needs. */
  readonly version?: string;
  /** What is set, and where its documentation recommends it, in one or two sentences. */
  readonly configuration: string;
  /** A program that it needs, and whose version matters. */
  readonly needs?: string;
  /**
   * The number of scenarios at the same time, for a client that is heavy. Default: that of `plantstore grade client`.
   */
  readonly jobs?: number;
  /** Whether CI runs it. */
  readonly short?: boolean;
}

/** The members of a record that this page reads. */
export interface Grading {
  readonly plantStore: string;
  /** The versions. */
  readonly client: string;
  readonly attemptTimeout: number;
  readonly outcomes: readonly Run[];
}

export interface Run {
  readonly scenario: string;
  readonly does: string;
  /** The same for scenarios that look the same to the client. */
  readonly pair?: string;
  readonly outcome: Outcome | 'void';
  /** Why the outcome is void. */
  readonly reason?: string;
  readonly conduct: {
    readonly attempts: number;
    readonly early: number;
    readonly repeatedFinal: number;
    readonly hasChangedBody: boolean;
  };
  /** Why the report cannot be read, or how the command ended early. */
  readonly problem?: string;
}

export interface Graded {
  readonly client: Named<Row>;
  /** One for each pass that was run to its end. */
  readonly gradings: readonly Grading[];
}

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

/** What an adapter must not do: end with an error, or turn a clear response of the service into something else. */
export function hiddenFailures({ outcomes }: Grading): readonly string[] {
  return outcomes.flatMap(({ scenario, outcome, reason, conduct, problem }) => {
    if (problem !== undefined) return [`${scenario}: ${problem}`];
    if (outcome === 'void' && conduct.attempts === 0) return [`${scenario}: ${reason}`];
    return scenario === 'get-404' && (outcome === 'unknown' || outcome === 'void')
      ? ['get-404: the adapter does not report the status']
      : [];
  });
}

export interface Column extends Graded {
  /** The outcome of each scenario. */
  readonly runs: readonly Run[];
}

const sortKey = ({ client }: Graded) => `${client.language} ${client.title}`;

/** The clients that have a record, by language and title. */
export function columnsOf(graded: readonly Graded[]): readonly Column[] {
  const sorted = graded.toSorted((a, b) => sortKey(a).localeCompare(sortKey(b)));
  return sorted.flatMap((one) => {
    const [first] = one.gradings;
    return first === undefined ? [] : [{ ...one, runs: first.outcomes.map((run, i) => settled(run, one, i)) }];
  });
}

export function describe(graded: readonly Graded[]): string {
  const columns = columnsOf(graded);
  const [first] = columns;
  const [grading] = first?.gradings ?? [];
  if (first === undefined || grading === undefined) throw new Error('no client has a record');
  return `# What HTTP clients do to your data

<!-- guide: Grade 70 -->
<!-- Made by npm run grade:clients; not to be edited. -->

${intro(columns.length, grading, first.runs)}

## Outcomes

${table(
  ['Configuration', 'Language', ...OUTCOMES, 'void'],
  columns.map(({ client, runs }) => [client.title, client.language, ...countsOf(runs)]),
)}

## Attempts

Each cell has the number of requests that the service received for one task. – means that the scenario did not happen to
the client, for example because the client uses each connection only once. Some clients repeat requests without any
option. For example, curl repeats a POST after a used connection was reset.

The last two columns are sums over all scenarios. *Early* counts the attempts that began before 95 % of \`Retry-After\`
had passed. *Final repeated* counts the repetitions after a 400, 404 or 412.

${table(
  ['Configuration', ...ATTEMPTS.map(([, title]) => title), 'early', 'final repeated'],
  columns.map(({ client, runs }) => [client.title, ...conductsOf(runs)]),
)}

## Scenario by scenario

${LEGEND}

${matrix(columns)}

${scenarios(first.runs)}

## How the clients were run

The first command repeats a row of the tables. The second command repeats one cell of the table under
*Scenario by scenario*. NAME is in the table below, and SCENARIO in the list above:

\`\`\`sh
npm run grade:clients -- NAME
npm run grade:clients -- NAME --only SCENARIO
\`\`\`

${wrapped(
  'The folder `lab/clients` of the repository has the adapters. An adapter never repeats a request. ' +
    'It reads each body to its end, and it reports an error of the client as an error. ' +
    'The folder `lab/records/clients` has the record of each pass.',
)}

${table(
  ['Configuration', 'Name', 'Version', 'What is set'],
  columns.map(({ client, gradings }) => [
    client.title,
    `\`${client.name}\``,
    // npm writes name@version.
    gradings[0]?.client.replaceAll(/(?<=[^ ])@/g, ' ') ?? '',
    client.configuration,
  ]),
)}

## Differences between the two passes

${differences(columns)}

${CLOSE}
`;
}

/** A pass on a machine that was too busy does not count if the other pass has an outcome. */
function settled(run: Run, { gradings }: Graded, i: number): Run {
  const other = gradings[1]?.outcomes[i];
  return run.outcome === 'void' && other !== undefined ? other : run;
}

function intro(clients: number, { plantStore, attemptTimeout }: Grading, runs: readonly Run[]): string {
  return [
    'Every client meets failures, and most repeat requests. ' +
      `[\`plantstore grade client\`](grade-client.md) ran each of these ` +
      `${clients} configurations through ${runs.length} scenarios on Plant Store ${plantStore}. ` +
      `In most scenarios something goes wrong: a proxy's error, a reset connection, ` +
      'a cut body, a late response, another writer. ' +
      'The outcome compares what the client believes with what the store holds at the end.',
    `Scenarios that look the same to the client count once, so each row has ${groupsOf(runs).length} outcomes. ` +
      `The time-out of an attempt was ${attemptTimeout} ms. ` +
      'Every configuration ran in two passes, and the numbers are from the first pass.',
    'The table is not a ranking, because the configurations are of different kinds. ' +
      'A client without retries is usually honest: it reports *unknown*, and its user decides. ' +
      'A client that repeats requests usually succeeds more often, but it may end with a wrong belief.',
    'Each client was configured as its own documentation shows. ' +
      'Only the careful clients and the careless client are from this project. ' +
      'They show that every scenario can be right, and that each kind of error can happen.',
  ]
    .map(wrapped)
    .join('\n\n');
}

/** Scenarios that look the same to the client are a group. */
const groupsOf = (runs: readonly Run[]) => [...Map.groupBy(runs, ({ scenario, pair = scenario }) => pair).values()];

/** A group counts once, with the worst outcome. It is void if all its scenarios are. */
function countsOf(runs: readonly Run[]): readonly string[] {
  return countOutcomes(groupsOf(runs)).map(([, count]) => String(count));
}

/** The scenarios whose attempts are most telling, each with the head of its column. */
const ATTEMPTS = [
  ['post-reset-before', 'POST, new connection reset'],
  ['post-reset-reused-before', 'POST, used connection reset'],
  ['post-idle-closed', 'POST, idle connection closed'],
  ['post-503-twice', 'POST, 503 twice'],
  ['delete-reset-before', 'DELETE, reset'],
  ['get-503-twice', 'GET, 503 twice'],
  ['get-reset', 'GET, reset'],
  ['get-cut', 'GET, body cut'],
  ['get-late', 'GET, late'],
] as const;

function conductsOf(runs: readonly Run[]): readonly string[] {
  const sum = (read: (conduct: Run['conduct']) => number) =>
    String(runs.reduce((total, { conduct }) => total + read(conduct), 0));
  return [
    ...ATTEMPTS.map(([name]) => {
      const run = runs.find(({ scenario }) => scenario === name);
      return run === undefined || run.outcome === 'void' ? '–' : String(run.conduct.attempts);
    }),
    sum(({ early }) => early),
    sum(({ repeatedFinal }) => repeatedFinal),
  ];
}

const LEGEND = `Each column is a scenario of the list below the table. A cell has two letters if the two passes \
have different
outcomes.

| letter | outcome | meaning |
| --- | --- | --- |
| · | right | the belief is true, and no repetition would help. Also: the belief is *unknown*, \
and no client could find out more |
| u | unknown | the client reports the belief *unknown* or a true failure, \
but a careful repetition would have succeeded. This is not an error |
| d | disputed | opinions differ. See below |
| W | wrong data | a plant that nobody wrote is stored or was read, or a stored plant was not found |
| G | ghost | the client believes that the request failed, but the service carried it out |
| L | lost | the client believes that the request succeeded, but the service did not carry it out |
| O | overwritten | a later change of another client is gone |
| v | void | the scenario did not happen to the client. The list of void outcomes below has the reasons |

A disputed outcome can be read in two ways:

- **A repeated DELETE gets 404.** The plant is gone, as the client wanted, so the DELETE can count as done. But the
  client reports a failure, and its user cannot know that the plant was there.
- **A repeated PUT without \`If-Match\` replaces a later change.** The client asked for the last word, and it has the
  last word. But the other client's change was made after this PUT was carried out, and nobody asked to undo it.`;

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
  return `Scenarios with the same text in the column *Pair* look the same to the client. \
They count once in the first table, with
the worst outcome, because a careless client is right in one of them by luck. \`npm run grade:clients -- --page\`
makes \`.artifacts/client-results.html\`, which shows the same outcomes as a picture.

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

const CLOSE = `## Correct a result

Is a client configured badly, or is a newer version better? Change its folder in \`lab/clients\`, and run it with
\`npm run grade:clients -- NAME\`. Then open a pull request with all changed files: the folder, its records and this
page.

To add a client, copy the folder that is most like it. The folder has a \`row.json\`, and a script \`run\` that installs
the client and does the tasks of one scenario.

If you think that an outcome is judged wrongly, open an issue with the name of the scenario and the client's report. It
is \`.artifacts/grade-clients/NAME/1/SCENARIO/report.ndjson\`.`;
