/**
 * Grades other people's API testers and this project's black box with the planted defects.
 *
 *   npm run grade:testers              grades all of them and makes docs/grade-results.md
 *   npm run grade:testers -- NAME…     grades only some
 *   npm run grade:testers -- --short   grades those that CI runs, with ten defects
 *   npm run grade:testers -- --page    makes the page again from the records of earlier runs
 *
 * Exits with 1 if a tester got no score.
 *
 * A tester is a folder in testers/ with `row.json` (a Row of page.ts) and the script `run`. `run install` installs the
 * tester. `run test` runs it once, as `plantstore grade` does, in a folder that all its runs share. In addition to the
 * variables of `plantstore grade`, the environment has ROOT, VERSION and CACHE, a folder that is kept.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { GradeResult } from '../../src/cli/grade-result.ts';
import { describe, type Row, type Tested } from './page.ts';

interface Tester extends Row {
  readonly name: string;
}

const { values, positionals } = parseArgs({
  options: { short: { type: 'boolean', default: false }, page: { type: 'boolean', default: false } },
  allowPositionals: true,
});

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PAGE = join(ROOT, 'docs/grade-results.md');
const WORK = join(tmpdir(), values.short ? 'plant-store-grade-short' : 'plant-store-grade');
const CACHE = join(tmpdir(), 'plant-store-tools-cache', 'grade');
/** Two of each tier. */
const SHORT = [
  ...['created-201', 'etag-missing', 'limit-1001-accepted', 'text-taken-for-an-id', 'no-credential-needed'],
  ...['any-token-accepted', 'deleted-plant-readable', 'replace-creates', 'retry-after-missing', 'allow-missing'],
];
/** In the order of the page. */
const ORDER = ['black-box', 'schemathesis', 'schemathesis-configured', 'specmatic', 'portman', 'hey-api'];

const testers: readonly Tester[] = globSync(join(ROOT, 'tools/grade/testers/*/row.json'))
  .map((path) => ({ ...(JSON.parse(readFileSync(path, 'utf8')) as Row), name: basename(dirname(path)) }))
  .sort((a, b) => ORDER.indexOf(a.name) - ORDER.indexOf(b.name));

/** The grading, or the reason why there is no score. */
function grade({ name, version, findings, needs }: Tester): GradeResult | string {
  const run = join(ROOT, 'tools/grade/testers', name, 'run');
  if (needs !== undefined && versionOf(needs) === undefined) return `there is no ${needs}`;
  const cache = join(CACHE, name);
  const folder = join(WORK, name);
  const scratch = join(folder, 'scratch');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(cache, { recursive: true });
  mkdirSync(scratch, { recursive: true });
  const env = { ...process.env, ROOT, VERSION: version, CACHE: cache };
  const options = { cwd: scratch, env, stdio: 'inherit' } as const;
  console.log(`\n== ${name} ==`);
  if (spawnSync(run, ['install'], options).status !== 0) return 'it could not be installed';
  const given = [
    ...['--output', join(folder, 'output'), '--json', recordOf(name)],
    ...(findings === undefined ? [] : ['--findings', findings]),
    ...(values.short ? ['--only', SHORT.join()] : []),
  ];
  const { status } = spawnSync(join(ROOT, 'bin/plantstore'), ['grade', ...given, '--', run, 'test'], options);
  rmSync(scratch, { recursive: true });
  return status === 0 ? readRecord(name) : 'plantstore grade gave it none';
}

const recordOf = (name: string) => join(WORK, name, 'grading.json');

function readRecord(name: string): GradeResult | string {
  if (!existsSync(recordOf(name))) return 'it was not run';
  const grading = JSON.parse(readFileSync(recordOf(name), 'utf8')) as GradeResult;
  return grading.halt === null ? grading : `its grading ended early (${grading.halt})`;
}

/** The name and version that a program prints; undefined if the program is missing. */
function versionOf(program: string): string | undefined {
  const { status, stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  return status === 0 ? /^\S+ [\d.]+/.exec(stdout)?.[0] : undefined;
}

const unknown = positionals.filter((name) => !testers.some((tester) => tester.name === name));
if (unknown.length > 0) throw new Error(`no such tester: ${unknown.join(', ')}`);
const asked = testers.filter(({ name, short }) =>
  positionals.length > 0 ? positionals.includes(name) : !values.short || short === true,
);
const tested = asked.map((tester): Tested => {
  const grading = values.page ? readRecord(tester.name) : grade(tester);
  return { tester, runtime: tester.needs === undefined ? undefined : versionOf(tester.needs), grading };
});
if (asked.length === testers.length) writeFileSync(PAGE, describe(tested));
const none = tested.flatMap(({ tester, grading }) =>
  typeof grading === 'string' ? [`${tester.name}: no score, since ${grading}`] : [],
);
// With --short a tester must notice something, and nothing on the clean service. Otherwise a change would go unnoticed.
const odd = tested.flatMap(({ tester: { name }, grading }) => {
  if (!values.short || typeof grading === 'string') return [];
  if (grading.falseAlarms.length > 0) return [`${name}: a false alarm`];
  return grading.defects.some(({ outcome }) => outcome === 'noticed') ? [] : [`${name}: noticed nothing`];
});
for (const line of [...none, ...odd]) console.log(line);
process.exitCode = none.length + odd.length > 0 ? 1 : 0;
