/** docs/grade-results.md, of what `plantstore grade --json` wrote of each tester. It holds no times: made again, it is equal. */

export interface Row {
  readonly tester: string;
  readonly version: string;
  /** As its users would type it behind `plantstore grade --`, in lines. */
  readonly command: readonly string[];
  /** What its configuration is, and why: a sentence or more. */
  readonly about: string;
  /** By which of its reports it is judged; by its exit code unless given. */
  readonly findings?: string;
  /** A program that has to be there, and whose version matters. */
  readonly needs?: string;
  /** Run by CI. */
  readonly short?: boolean;
}

/** What is read of a record. */
export interface Grading {
  readonly plantStore: string;
  /** Why not everything was graded. */
  readonly halt: string | null;
  readonly seeds: number;
  readonly controls: number;
  readonly falseAlarms: readonly string[];
  readonly groundless: readonly string[];
  readonly tiers: readonly { readonly tier: string; readonly schema: Cell; readonly prose: Cell }[];
  readonly defects: readonly { readonly name: string; readonly tier: string; readonly outcome: string }[];
}

interface Cell {
  readonly found: number;
  readonly triggered: number;
  readonly planted: number;
}

export interface Tested {
  readonly tester: Row;
  readonly runtime: string | undefined;
  /** Or why there is no score. */
  readonly grading: Grading | string;
}

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

export function describe(tested: readonly Tested[]): string {
  const [first] = tested.flatMap(({ grading }) => (typeof grading === 'string' ? [] : [grading]));
  if (first === undefined) throw new Error('no tester got a score');
  const { plantStore, seeds, controls, tiers, defects } = first;
  const columns = tiers.map(({ tier }) => tier);
  const names = tested.map(({ tester }) => tester.tester);
  return `# What API testers find

<!-- Made by npm run grade:testers; not to be edited. -->

\`npm run grade:testers\` ran each of these testers by [\`plantstore grade\`](grade.md): on Plant Store ${plantStore} with each of its
${defects.length} [planted defects](defects.md), one at a time, and ${controls} times on the clean service. ${seedsOf(seeds)}

The testers are of different kinds, and none is the best. A tester that triggered nothing in a tier does not test that area.
Combine it with another tester. Each was configured from its own documentation; corrections are welcome.

## By tier

Found / triggered / planted, by tier and by whether the violated rule is in a schema or only in prose. – : no defect is
planted there.

${table(['Tester', 'Violated rule', ...columns], scoresOf(tested, columns))}

## How they were run

Each run began in an empty folder. A finding on the clean service, or in a run that did not trigger the defect, is a false
alarm. It does not count, and it hides defects that would cause the same finding.

${tested.map(sectionOf).join('\n\n')}

## Defect by defect

– : no request of the tester triggered the defect.

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
  seeds > 1 ? `The seeds are 1 to ${seeds}.` : 'The seed is 1: with another, random data\nfinds a few more or fewer.';

/** Prose in lines that are not too long. */
const wrapped = (text: string) => text.replaceAll(/(?![^\n]{1,120}$)([^\n]{1,120}) /g, '$1\n');

function scoresOf(tested: readonly Tested[], columns: readonly string[]): readonly (readonly string[])[] {
  const shown = ({ found, triggered, planted }: Cell) => (planted === 0 ? '–' : `${found} / ${triggered} / ${planted}`);
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

function alarmsOf(grading: Grading | string): string {
  if (typeof grading === 'string') return `It has no score: ${grading}.`;
  const { falseAlarms, controls, groundless } = grading;
  const others = groundless.length === 0 ? '' : `, and in runs that did not trigger the defect: ${groundless.length}`;
  return `False alarms: on ${falseAlarms.length} of ${controls} controls${others}.`;
}

function outcomeOf(grading: Grading | string, name: string): string {
  if (typeof grading === 'string') return 'no score';
  const outcome = grading.defects.find((one) => one.name === name)?.outcome ?? '';
  return outcome === 'not triggered' ? '–' : outcome;
}
