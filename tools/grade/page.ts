/** Makes docs/grade-results.md from the output of `plantstore grade --json`. It contains no times, so it is reproducible. */
import type { GradeResult } from '../../src/cli/grade-result.ts';

export interface Row {
  readonly tester: string;
  readonly version: string;
  /** The lines that a user would type after `plantstore grade --`. */
  readonly command: readonly string[];
  /** Its configuration and the reason for it, in one or more sentences. */
  readonly about: string;
  /** The kind of report that judges it. Default: its exit code. */
  readonly findings?: string;
  /** A program that it needs, and whose version matters. */
  readonly needs?: string;
  /** Whether CI runs it. */
  readonly short?: boolean;
}

export interface Tested {
  readonly tester: Row;
  readonly runtime: string | undefined;
  /** The grading, or the reason why there is no score. */
  readonly grading: GradeResult | string;
}

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

export function describe(tested: readonly Tested[]): string {
  const [first] = tested.flatMap(({ grading }) => (typeof grading === 'string' ? [] : [grading]));
  if (first === undefined) throw new Error('no tester got a score');
  const { environment, options, tiers, defects } = first;
  const { seeds, controls } = options;
  const columns = tiers.map(({ tier }) => tier);
  const names = tested.map(({ tester }) => tester.tester);
  return `# What API testers find

<!-- Made by npm run grade:testers; not to be edited. -->

\`npm run grade:testers\` graded each of these testers with [\`plantstore grade\`](grade.md). Each tester ran on
Plant Store ${environment.plantStore}, once with each of its ${defects.length} [planted defects](defects.md), and ${controls} times on the clean service.
${seedsOf(seeds)}

The testers are of different kinds, and none is the best. A tester that triggered nothing in a tier does not test that
area: combine it with another. Each was configured from its own documentation. Corrections are welcome.

## By tier

Each cell has the number of defects that the tester found / that it triggered / that were planted. The rows show whether
the description states the violated rule in a schema or only in prose. – means that no defect of this kind is planted.

${table(['Tester', 'Rule', ...columns], scoresOf(tested, columns))}

## How they were run

Each run began in an empty folder. A finding on the clean service, or in a run that did not trigger the defect, is a
false alarm. It does not count, and it hides defects that would cause the same finding.

${tested.map(sectionOf).join('\n\n')}

## Defect by defect

– means that no request of the tester triggered the defect.

${table(
  ['Defect', 'Tier', ...names],
  defects.map(({ name, tier }) => [
    `[${name}](defects.md#${name})`,
    tier,
    ...tested.map(({ grading }) => outcomeOf(grading, name)),
  ]),
)}
`;
}

const seedsOf = (seeds: number) =>
  seeds > 1
    ? `The seeds are 1 to ${seeds}.`
    : 'The seed is 1. With another seed, a tester that sends random data finds a few more or fewer defects.';

/** Breaks prose into lines of at most 120 characters. */
const wrapped = (text: string) => text.replaceAll(/(?![^\n]{1,120}$)([^\n]{1,120}) /g, '$1\n');

function scoresOf(tested: readonly Tested[], columns: readonly string[]): readonly (readonly string[])[] {
  const shown = ({ noticed, triggered, planted }: GradeResult['tiers'][number]['schema']) =>
    planted === 0 ? '–' : `${noticed} / ${triggered} / ${planted}`;
  return tested.flatMap(({ tester: { tester }, grading }) => {
    if (typeof grading === 'string') return [[tester, '', ...columns.map(() => 'no score')]];
    return [
      [tester, 'in a schema', ...grading.tiers.map(({ schema }) => shown(schema))],
      [tester, 'in prose only', ...grading.tiers.map(({ prose }) => shown(prose))],
    ];
  });
}

function sectionOf({ tester, runtime, grading }: Tested): string {
  const { findings, about, command } = tester;
  const version = [tester.version, ...(runtime === undefined ? [] : [`on ${runtime}`])].join(' ');
  const judged = findings === undefined ? 'its exit code' : 'its report';
  const graded = `plantstore grade ${findings === undefined ? '' : `--findings ${findings} `}--`;
  return `### ${tester.tester}

${wrapped(`Version ${version}, judged by ${judged}. ${about} ${alarmsOf(grading)}`)}

\`\`\`sh
${[graded, ...command].join(' \\\n  ')}
\`\`\``;
}

function alarmsOf(grading: GradeResult | string): string {
  if (typeof grading === 'string') return `It has no score: ${grading}.`;
  const { falseAlarms, options, groundless } = grading;
  const others = groundless.length === 0 ? '' : `; in runs that did not trigger the defect: ${groundless.length}`;
  return `False alarms: in ${falseAlarms.length} of ${options.controls} controls${others}.`;
}

function outcomeOf(grading: GradeResult | string, name: string): string {
  if (typeof grading === 'string') return 'no score';
  const outcome = grading.defects.find((one) => one.name === name)?.outcome ?? '';
  return outcome === 'not triggered' ? '–' : outcome;
}
