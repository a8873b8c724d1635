/**
 * Grades other people's API testers and this project's suites with the planted defects.
 *
 *   npm run grade:testers              grades all of them, and makes docs/grade-results.md and its page of pictures
 *   npm run grade:testers -- NAME…     grades only some
 *   npm run grade:testers -- --short   grades those that CI runs, or those that are named, with ten defects
 *   npm run grade:testers -- --page    makes the page again from the results of earlier runs
 *
 *   --seeds NUMBER    runs with each defect for a tester that sends random data; default: 5
 *   --jobs NUMBER     runs at the same time; default: half of the processor cores
 *   --keep FOLDER     where the results and the output of each run are kept; default: .artifacts/grade
 *
 * Exits with 1 if a tester got no score.
 *
 * A tester is a folder in testers/ with `row.json` (a Row of row.ts) and the script `run`. `run install` installs the
 * tester. `run test` runs it once, as `plantstore grade` does, in an empty folder. In addition to the variables of
 * `plantstore grade`, the environment has ROOT, VERSION and CACHE, a folder that is kept.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readCommandLine } from '../../scripts/command-line.ts';
import type { GradeResult } from '../../src/cli/grade-result.ts';
import { CACHE, chooseRows, ROOT, readRows, versionOf } from './folders.ts';
import { describe } from './page.ts';
import type { Row, Tested, Tester } from './row.ts';

const { values, positionals } = readCommandLine(import.meta.filename, {
  options: {
    short: { type: 'boolean', default: false },
    page: { type: 'boolean', default: false },
    seeds: { type: 'string', default: '5' },
    jobs: { type: 'string' },
    keep: { type: 'string' },
  },
  allowPositionals: true,
});

const PLANTSTORE = join(ROOT, 'bin/plantstore');
const PAGE = join(ROOT, 'docs/grade-results.md');
const PICTURES = join(ROOT, 'docs/grade-results.html');
const KEPT = resolve(values.keep ?? join(ROOT, '.artifacts', values.short ? 'grade-short' : 'grade'));
/** Two of each tier. */
const SHORT = [
  ...['created-201', 'etag-missing', 'limit-1001-accepted', 'text-taken-for-an-id', 'no-credential-needed'],
  ...['any-token-accepted', 'deleted-plant-readable', 'replace-creates', 'retry-after-missing', 'allow-missing'],
];

/** By name, and suites last. */
const testers: readonly Tester[] = readRows<Row>('testers').toSorted(
  (a, b) => Number(a.suite ?? false) - Number(b.suite ?? false) || a.tester.localeCompare(b.tester),
);

/** The result, or the reason why there is none. */
function grade({ name, tester, version, findings, needs, random }: Tester): GradeResult | string {
  const run = join(ROOT, 'tools/grade/testers', name, 'run');
  if (needs !== undefined && versionOf(needs) === undefined) return `there is no ${needs}`;
  const cache = join(CACHE, name);
  const folder = join(KEPT, name);
  rmSync(folder, { recursive: true, force: true });
  for (const path of [cache, folder]) mkdirSync(path, { recursive: true });
  const env = { ...process.env, ROOT, VERSION: version, CACHE: cache };
  const options = { cwd: folder, env, stdio: 'inherit' } as const;
  console.log(`\n== ${name} ==`);
  if (spawnSync(run, ['install'], options).status !== 0) return 'it could not be installed';
  const given = [
    ...['--output', join(folder, 'output'), '--json', resultOf(name)],
    ...['--tester-name', tester, '--tester-version', version],
    ...(findings === undefined ? [] : ['--findings', findings]),
    ...(values.short ? ['--only', SHORT.join()] : []),
    ...(random && !values.short ? ['--seeds', values.seeds] : []),
    ...(values.jobs === undefined ? [] : ['--jobs', values.jobs]),
  ];
  const { status } = spawnSync(PLANTSTORE, ['grade', ...given, '--', run, 'test'], options);
  return status === 0 ? readResult(name) : 'plantstore grade gave it none';
}

const resultOf = (name: string) => join(KEPT, name, 'result.json');

function readResult(name: string): GradeResult | string {
  if (!existsSync(resultOf(name))) return 'it was not run';
  const result = JSON.parse(readFileSync(resultOf(name), 'utf8')) as GradeResult;
  return result.halt === null ? result : `its grading ended early (${result.halt})`;
}

function writePages(tested: readonly Tested[]): void {
  writeFileSync(PAGE, describe(tested));
  const results = tested.flatMap(({ tester, result }) => (typeof result === 'string' ? [] : [resultOf(tester.name)]));
  const { status, stdout } = spawnSync(PLANTSTORE, ['grade', 'page', ...results], { maxBuffer: 2 ** 26 });
  if (status !== 0) throw new Error('plantstore grade page failed');
  writeFileSync(PICTURES, stdout);
}

const asked = chooseRows(testers, positionals, values.short);
const tested = asked.map((tester): Tested => {
  const result = values.page ? readResult(tester.name) : grade(tester);
  return { tester, runtime: tester.needs === undefined ? undefined : versionOf(tester.needs), result };
});
if (asked.length === testers.length && !values.short) writePages(tested);
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
