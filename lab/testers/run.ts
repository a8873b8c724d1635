/**
 * Grades other people's API testers and this project's suites with the planted defects.
 *
 *   npm run grade:testers               grades all of them
 *   npm run grade:testers -- NAME…      grades only some
 *   npm run grade:testers -- --resume   continues gradings that were interrupted, and keeps those that were not
 *   npm run grade:testers -- --short    grades those that CI runs, or those that are named, with ten defects
 *   npm run grade:testers -- --page     only makes the pages again
 *
 *   --seeds NUMBER    runs with each defect for a tester that sends random data; default: 5
 *   --jobs NUMBER     runs at the same time; default: half of the processor cores
 *
 * The results are in lab/records/testers, and with --short in .artifacts/grade, where the output of each run is. All
 * results make docs/grade-results.md and .artifacts/grade-results.html. Exits with 1 if a tester got no score; with
 * --short, also if a tester noticed nothing, or found something on the clean service.
 *
 * A tester is a folder in lab/testers/ with `row.json` (a Row of row.ts) and the script `run`. `run install` installs
 * the tester. `run test` runs it once, as `plantstore grade` does, in an empty folder. In addition to the variables of
 * `plantstore grade`, the environment has ROOT, VERSION and CACHE, a folder that is kept.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { readCommandLine } from '../../scripts/command-line.ts';
import type { GradeResult } from '../commands/grade-result.ts';
import { DEFECTS } from '../defects/index.ts';
import { CACHE, chooseRows, install, ROOT, readRows, versionOf } from './folders.ts';
import { describeDefects } from './grade-results-by-defect-page.ts';
import { describe } from './grade-results-page.ts';
import type { Row, Tested, Tester } from './row.ts';

const { values, positionals } = readCommandLine(import.meta.filename, {
  options: {
    short: { type: 'boolean', default: false },
    resume: { type: 'boolean', default: false },
    page: { type: 'boolean', default: false },
    seeds: { type: 'string', default: '5' },
    jobs: { type: 'string' },
  },
  allowPositionals: true,
});

const PLANTSTORE = join(ROOT, 'bin/plantstore');
const PAGE = join(ROOT, 'docs/grade-results.md');
const BY_DEFECT = join(ROOT, 'docs/grade-results-by-defect.md');
const PICTURES = join(ROOT, '.artifacts/grade-results.html');
/** The output of each run. */
const KEPT = join(ROOT, '.artifacts/grade');
/** Two of each tier. */
const SHORT = [
  ...[
    'success-status-undeclared',
    'strong-etag-missing',
    'limit-too-high-accepted',
    'id-of-another-type-accepted',
    'no-credential-needed',
  ],
  ...['any-token-accepted', 'deleted-plant-readable', 'replace-creates', 'retry-after-missing', 'allow-missing'],
];

/** By name, and suites last. */
const testers: readonly Tester[] = readRows<Row>('testers').toSorted(
  (a, b) => Number(a.suite ?? false) - Number(b.suite ?? false) || a.tester.localeCompare(b.tester),
);

/** The result, or the reason why there is none. */
function grade({ name, tester, version, findings, needs, random }: Tester): GradeResult | string {
  // From the root of the repository, so that a result does not depend on the machine.
  const run = join('lab/testers', name, 'run');
  const runtime = needs === undefined ? undefined : versionOf(needs);
  if (needs !== undefined && runtime === undefined) return `there is no ${needs}`;
  const cache = join(CACHE, name);
  const folder = join(KEPT, name);
  if (!values.resume) for (const old of [folder, resultOf(name)]) rmSync(old, { recursive: true, force: true });
  for (const path of [cache, folder, dirname(resultOf(name))]) mkdirSync(path, { recursive: true });
  const env = { ...process.env, ROOT, VERSION: version, CACHE: cache };
  const options = { cwd: ROOT, env, stdio: 'inherit' } as const;
  console.log(`\n== ${name} ==`);
  const failure = install(run, env);
  if (failure !== undefined) return `it could not be installed: ${failure}`;
  const given = [
    ...['--output', relative(ROOT, join(folder, 'output')), '--json', resultOf(name), '--resume'],
    ...['--tester-name', tester, '--tester-version', runtime === undefined ? version : `${version} on ${runtime}`],
    ...(findings === undefined ? [] : ['--findings', findings]),
    ...(values.short ? ['--only', SHORT.join()] : []),
    ...(random && !values.short ? ['--seeds', values.seeds] : []),
    ...(values.jobs === undefined ? [] : ['--jobs', values.jobs]),
  ];
  const { status } = spawnSync(PLANTSTORE, ['grade', ...given, '--', run, 'test'], options);
  return status === 0 ? readResult(name) : 'plantstore grade gave it none';
}

const resultOf = (name: string) =>
  values.short ? join(KEPT, name, 'result.json') : join(ROOT, 'lab/records/testers', `${name}.json`);

function readResult(name: string): GradeResult | string {
  if (!existsSync(resultOf(name))) return 'it was not run';
  const result = JSON.parse(readFileSync(resultOf(name), 'utf8')) as GradeResult;
  if (result.halt !== null) return `its grading ended early (${result.halt})`;
  const names = result.defects.map(({ name }) => name);
  const isCurrent = values.short || isDeepStrictEqual(names.toSorted(), DEFECTS.map(({ name }) => name).toSorted());
  return isCurrent ? result : 'it was graded with other defects';
}

function writePages(tested: readonly Tested[]): void {
  writeFileSync(PAGE, describe(tested));
  writeFileSync(BY_DEFECT, describeDefects(tested));
  const results = tested.flatMap(({ tester, result }) => (typeof result === 'string' ? [] : [resultOf(tester.name)]));
  const { status, stdout } = spawnSync(PLANTSTORE, ['grade', 'page', ...results], { maxBuffer: 2 ** 26 });
  if (status !== 0) throw new Error('plantstore grade page failed');
  mkdirSync(dirname(PICTURES), { recursive: true });
  writeFileSync(PICTURES, stdout);
}

const asked = chooseRows(testers, positionals, values.short);
const tested = asked.map(
  (tester): Tested => ({ tester, result: values.page ? readResult(tester.name) : grade(tester) }),
);
if (!values.short) writePages(testers.map((tester): Tested => ({ tester, result: readResult(tester.name) })));
const none = tested.flatMap(({ tester, result }) =>
  typeof result === 'string' ? [`${tester.name}: no score, since ${result}`] : [],
);
// With --short a tester must notice something, and nothing on the clean service. Otherwise a change would go unnoticed.
const odd = tested.flatMap(({ tester: { name }, result }) => {
  if (!values.short || typeof result === 'string') return [];
  if (result.falseAlarms.length > 0) return [`${name}: a false alarm`];
  return result.defects.some(({ outcome }) => outcome === 'noticed') ? [] : [`${name}: noticed nothing`];
});
for (const line of [...none, ...odd]) console.log(line);
process.exitCode = none.length + odd.length > 0 ? 1 : 0;
