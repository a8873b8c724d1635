/** Makes docs/client-results.md from the output of `plantstore grade client --json`. */

import { table, wrapped } from '../../scripts/markdown.ts';
import { countOutcomes } from '../grade/outcomes.ts';
import type { Named } from '../testers/folders.ts';
import { CLIENT_OUTCOMES, type ClientOutcome } from '../util/meanings.ts';

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
  readonly outcome: ClientOutcome | 'void';
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
  ['Configuration', 'Language', ...CLIENT_OUTCOMES, 'void'],
  columns.map(({ client, runs }) => [
    client.title,
    client.language,
    ...countOutcomes(CLIENT_OUTCOMES, runs).map(([, count]) => String(count)),
  ]),
)}

[Scenario by scenario](client-scenarios.md) has the meaning of each outcome, and the outcome of each client in each
scenario.

## Attempts

Each cell has the number of requests that the service received for one task. – means that the scenario did not happen to
the client, for example because the client uses each connection only once. Some clients repeat requests without any
option. For example, curl repeats a POST after a used connection was reset. Chromium also repeats a POST after a new
connection was reset.

The last two columns are sums over all scenarios. *Early* counts the attempts that began before 95 % of \`Retry-After\`
had passed. *Final repeated* counts the repetitions after a 400, 404 or 412.

${table(
  ['Configuration', ...ATTEMPTS.map(([, title]) => title), 'early', 'final repeated'],
  columns.map(({ client, runs }) => [client.title, ...conductsOf(runs)]),
)}

## How the clients were run

The first command repeats a row of the tables, and writes its records in \`lab/records/clients\` again. The second
command repeats a single scenario, and writes no record. NAME is in the table below, and SCENARIO in
[the list of scenarios](client-scenarios.md#the-scenarios):

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

${CLOSE}
`;
}

/** A pass on a machine that was too busy does not count if the other pass has an outcome. */
function settled(run: Run, { gradings }: Graded, i: number): Run {
  const other = gradings[1]?.outcomes[i];
  return run.outcome === 'void' && other !== undefined ? other : run;
}

function intro(clients: number, { plantStore, attemptTimeout }: Grading, runs: readonly Run[]): string {
  const counted = new Set(runs.map(({ scenario, pair = scenario }) => pair)).size;
  return [
    'Every client meets failures, and most repeat requests. ' +
      `[\`plantstore grade client\`](grade-client.md) ran each of these ` +
      `${clients} configurations through ${runs.length} scenarios on Plant Store ${plantStore}. ` +
      `In most scenarios something goes wrong: a proxy's error, a reset connection, ` +
      'a cut body, a late response, another writer. ' +
      'The outcome compares what the client believes with what the store holds at the end.',
    `Scenarios that look the same to the client count once, so each row has ${counted} outcomes. ` +
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

const CLOSE = `## Correct a result

Is a client configured badly, or is a newer version better? Change its folder in \`lab/clients\`, and run it with
\`npm run grade:clients -- NAME\`. Then open a pull request with all changed files: the folder, its records and this
page.

To add a client, copy the folder that is most like it. The folder has a \`row.json\`, and a script \`run\` that installs
the client and does the tasks of one scenario.

If you think that an outcome is judged wrongly, open an issue with the name of the scenario and the client's report. It
is \`.artifacts/grade-clients/NAME/1/SCENARIO/report.ndjson\`.`;
