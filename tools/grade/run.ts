/**
 * Grades other people's API testers, and this project's own suite, by the planted defects: `npm run grade:testers` all of
 * them, and makes docs/grade-results.md of what they found; `npm run grade:testers -- NAME…` only some; `--short` those
 * that CI runs, with ten defects. Exits with 1 where one got no score.
 *
 * A tester is a folder here with `row.json` (a Row) and `run`, which installs it (`run install`), and runs it once as
 * plantstore grade says (`run test`). Beside what that gives, its environment has ROOT, VERSION and CACHE, a folder that is
 * kept from run to run.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

interface Row {
  readonly tester: string;
  readonly version: string;
  /** As its users would type it behind `plantstore grade --`. */
  readonly command: string;
  /** By which of its reports it is judged; by its exit code unless given. */
  readonly findings?: string;
  /** A program that has to be there. */
  readonly needs?: string;
  readonly short?: boolean;
}

interface Tester extends Row {
  readonly name: string;
}

/** Of what `plantstore grade --json` writes. */
interface Grading {
  readonly falseAlarms: readonly unknown[];
  readonly controls: number;
  readonly tiers: readonly { readonly tier: string; readonly schema: Score; readonly prose: Score }[];
  readonly defects: readonly { readonly name: string; readonly tier: string; readonly outcome: string }[];
}

interface Score {
  readonly found: number;
  readonly met: number;
  readonly planted: number;
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PAGE = join(ROOT, 'docs/grade-results.md');
const WORK = join(tmpdir(), 'plant-store-grade');
const CACHE = join(tmpdir(), 'plant-store-tools-cache', 'grade');
/** Two of each tier. */
const SHORT = [
  'created-201',
  'etag-missing',
  'limit-1001-accepted',
  'text-taken-for-an-id',
  'no-credential-needed',
  'any-token-accepted',
  'deleted-plant-readable',
  'replace-creates',
  'retry-after-missing',
  'allow-missing',
];
/** In the order of the page. */
const ORDER = ['black-box', 'schemathesis-configured', 'schemathesis', 'specmatic', 'portman', 'hey-api'];

const testers: readonly Tester[] = globSync(join(ROOT, 'tools/grade/*/row.json'))
  .map((path) => ({ ...(JSON.parse(readFileSync(path, 'utf8')) as Row), name: basename(dirname(path)) }))
  .sort((a, b) => ORDER.indexOf(a.name) - ORDER.indexOf(b.name));

/** Undefined where it got no score, which the grader has said why. */
function grade({ name, version, findings, needs }: Tester, isShort: boolean): Grading | undefined {
  const run = join(ROOT, 'tools/grade', name, 'run');
  // Both configurations of Schemathesis are one installation.
  const cache = join(CACHE, name.replace(/-configured$/, ''));
  mkdirSync(cache, { recursive: true });
  const env = { ...process.env, ROOT, VERSION: version, CACHE: cache };
  const options = { env, stdio: ['ignore', 'inherit', 'inherit'] as ['ignore', 'inherit', 'inherit'] };
  if (needs !== undefined && spawnSync('sh', ['-c', `command -v ${needs}`]).status !== 0) {
    console.log(`${name}: not run, since there is no ${needs}`);
    return undefined;
  }
  if (spawnSync(run, ['install'], options).status !== 0) return undefined;
  const folder = join(WORK, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const json = join(folder, 'grading.json');
  const given = [
    ...['--output', join(folder, 'output'), '--json', json],
    ...(findings === undefined ? [] : ['--findings', findings]),
    ...(isShort ? ['--only', SHORT.join(), '--controls', '1'] : []),
  ];
  console.log(`\n== ${name} ==`);
  const graded = spawnSync(join(ROOT, 'bin/plantstore'), ['grade', ...given, '--', run, 'test'], options);
  if (graded.status !== 0 || !existsSync(json)) return undefined;
  return JSON.parse(readFileSync(json, 'utf8')) as Grading;
}

const OUTCOMES: Readonly<Record<string, string>> = { found: 'found', missed: 'missed', 'not met': '–' };

function page(graded: ReadonlyMap<Tester, Grading | undefined>): string {
  const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
    [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
  const all = [...graded];
  const [, first] = all.find(([, grading]) => grading !== undefined) ?? [];
  const tiers = first?.tiers ?? [];
  const shown = ({ found, met, planted }: Score) => (planted === 0 ? '' : `${found} / ${met} / ${planted}`);
  const scores = all.flatMap(([{ tester }, grading]) =>
    (['schema', 'prose'] as const).map((stands) => [
      stands === 'schema' ? tester : '',
      stands === 'schema' ? 'in a schema' : 'in prose only',
      ...(grading === undefined ? ['no score'] : grading.tiers.map((tier) => shown(tier[stands]))),
    ]),
  );
  const defects = (first?.defects ?? []).map(({ name }) => [
    `[${name}](defects.md#${name})`,
    ...all.map(([, grading]) => {
      const outcome = grading?.defects.find((one) => one.name === name)?.outcome ?? '';
      return OUTCOMES[outcome] ?? outcome;
    }),
  ]);
  const alarms = all.map(([{ tester, version, command, findings }, grading]) => [
    tester,
    version,
    findings === undefined ? 'exit code' : `--findings ${findings}`,
    grading === undefined ? 'no score' : `${grading.falseAlarms.length} of ${grading.controls} controls`,
    `\`${command}\``,
  ]);
  return `# What API testers find

<!-- Made by npm run grade:testers; not to be edited. -->

\`npm run grade:testers\` ran each of these testers by [\`plantstore grade\`](grade.md) against a service with each of the
[planted defects](defects.md), one at a time, with seed 1 and three controls on the clean service. They are testers of
different kinds, and a low score in a tier means that a tester does not try that tier at all: the table says what to combine,
not which is best. Each is configured as a reading of its documentation gave it; corrections are welcome.

Each cell is found / met / planted: how many defects it found, how many showed while it ran, how many there are.

${table(['Tester', 'Where the truth stands', ...tiers.map(({ tier }) => tier)], scores)}

## How they were run

A finding on a control is a false alarm: it counts for nothing, and hides a defect that would bring about the same finding.

${table(['Tester', 'Version', 'Judged by', 'False alarms', 'Command'], alarms)}

## Defect by defect

A dash: no request of the tester made the defect show.

${table(['Defect', ...all.map(([{ tester }]) => tester)], defects)}
`;
}

const { values, positionals } = parseArgs({ options: { short: { type: 'boolean' } }, allowPositionals: true });
const isShort = values.short === true;
const asked = testers.filter(({ name, short }) =>
  positionals.length > 0 ? positionals.includes(name) : !isShort || short === true,
);
if (asked.length < positionals.length) throw new Error(`the testers are ${testers.map(({ name }) => name).join(', ')}`);
const graded = new Map(asked.map((tester) => [tester, grade(tester, isShort)]));
if (asked.length === testers.length) writeFileSync(PAGE, page(graded));
process.exitCode = [...graded.values()].includes(undefined) ? 1 : 0;
