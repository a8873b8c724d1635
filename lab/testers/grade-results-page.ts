/**
 * Makes docs/grade-results.md from results of `plantstore grade --json`. It contains no times, so it is reproducible.
 */

import { table, wrapped } from '../../scripts/markdown.ts';
import type { GradeResult } from '../commands/grade-result.ts';
import { median } from '../grade/statistics.ts';
import type { Tested } from './row.ts';

type Graded = Omit<Tested, 'result'> & { readonly result: GradeResult };
type Cell = GradeResult['tiers'][number]['schema'];

const isGraded = (tested: Tested): tested is Graded => typeof tested.result !== 'string';

/** Throws an Error if no tester has a result. All results must have the same defects. */
export function describe(tested: readonly Tested[]): string {
  const graded = tested.filter(isGraded);
  const [first] = graded;
  if (first === undefined) throw new Error('no tester has a result');
  const { environment, tiers, defects } = first.result;
  const columns = tiers.map(({ tier }) => tier);
  const scores = (which: readonly Graded[]) => table(['Tester', 'Rule', ...columns], which.flatMap(scoresOf));
  const tools = graded.filter(({ tester }) => !tester.suite);
  const suites = graded.filter(({ tester }) => tester.suite);
  return `# What API testers find

<!-- guide: Grade 50 -->
<!-- Made by npm run grade:testers; not to be edited. -->

${wrapped(
  `\`npm run grade:testers\` graded these testers with [\`plantstore grade\`](grade.md) ` +
    `on Plant Store ${environment.plantStore}, which has ${defects.length} [planted defects](defects.md). ` +
    (graded.length < tested.length
      ? 'Testers without a score are only under [How they were run](#how-they-were-run). '
      : '') +
    `The folder \`lab/records/testers\` has every run. ` +
    `\`npm run grade:testers -- --page\` shows the same results in colour, ` +
    `in the page \`.artifacts/grade-results.html\`.`,
)}

The testers are of different kinds, so this page does not rank them. A tester that triggered nothing in a tier does not
test that area: combine it with another tester. Each configuration uses only what the tester's own documentation offers.
If a score looks wrong, [correct it](correct-a-score.md).

## By tier

A cell such as 9 (8) / 10 / 12 counts defects: the tester noticed 9, and also named 8 of them. It triggered 10, and 12
were planted. For a tester with several seeds, the first number counts only the *found* defects, which it noticed more
often than luck explains. The sign – means that no defect was planted. *Named* means that the report has the right
operation and, if the format has codes, the right code. An exit code names nothing, so such a cell has no brackets.
[How to read the score](grade.md#how-to-read-the-score) explains the words.

The columns are the [tiers](grade.md#tiers). The rows show whether the description states the violated rule in a schema
or only in prose.

${scores(tools)}

A tester without randomness ran once with each defect. A tester that sends random data ran once with each defect and
each seed.

${table(['Tester', 'Random', 'Seeds', 'Controls', 'False alarms', 'Requests', 'Statuses reached'], graded.map(runsOf))}

*Controls* are runs on the clean service. *Requests* is the median number of requests of a control. *Statuses reached*
counts the statuses that the controls got from each operation.

## Suites written for this API

Do not compare the testers with these suites. The black box was written for this description, and shows which defects
a suite can notice. The walk shows which defects an ordinary client notices without looking for them.

${suites.length === 0 ? 'They were not run.' : scores(suites)}

## How they were run

Each run began in an empty folder. A finding on the clean service, or in a run that did not trigger the defect, is a
false alarm. It does not count. If a defect causes the same finding, the tester does not notice the defect.

${tested.map(sectionOf).join('\n\n')}

## Defect by defect

[A table](grade-results-by-defect.md) shows which tester noticed which defect.
`;
}

function scoresOf({ tester, result }: Graded): readonly (readonly string[])[] {
  const isOnce = result.options.seeds === 1;
  const shown = ({ planted, triggered, noticed, found, named }: Cell) => {
    if (planted === 0) return '–';
    const cells = [isOnce ? noticed : found, triggered, planted];
    return tester.findings === undefined ? cells.join(' / ') : cells.join(' / ').replace(' ', ` (${named}) `);
  };
  return [
    [tester.tester, 'in a schema', ...result.tiers.map(({ schema }) => shown(schema))],
    [tester.tester, 'in prose only', ...result.tiers.map(({ prose }) => shown(prose))],
  ];
}

function runsOf({ tester, result }: Graded): readonly string[] {
  const controls = result.runs.filter(({ defect }) => defect === null);
  return [
    tester.tester,
    tester.random ? 'yes' : 'no',
    String(result.options.seeds),
    String(controls.length),
    String(result.falseAlarms.length),
    String(median(controls.map(({ counts }) => counts.requests)) ?? ''),
    String(result.reached.length),
  ];
}

function sectionOf({ tester, result }: Tested): string {
  const { findings, about, command } = tester;
  const version = typeof result === 'string' ? tester.version : result.tester.version;
  const judged = findings === undefined ? 'its exit code' : 'its report';
  const graded = `bin/plantstore grade ${findings === undefined ? '' : `--findings ${findings} `}--`;
  return `### ${tester.tester}

${wrapped(`Version ${version}, judged by ${judged}. ${about} ${alarmsOf(result)}`)}

\`\`\`sh
${[graded, ...command].join(' \\\n  ')}
\`\`\``;
}

function alarmsOf(result: GradeResult | string): string {
  if (typeof result === 'string') return `It has no score: ${result}.`;
  const { falseAlarms, options, groundless } = result;
  const others = groundless.length === 0 ? '' : `; in runs that did not trigger the defect: ${groundless.length}`;
  return `False alarms: in ${falseAlarms.length} of ${options.controls} controls${others}.`;
}
