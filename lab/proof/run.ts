/**
 * Tries to break what Plant Store promises.
 *
 *   npm run proof                  runs every check, and makes docs/proof.md and docs/proof.json
 *   npm run proof -- NAME…         runs only some checks, and replaces their part of the page
 *   npm run proof -- --short       runs each check for seconds, as CI does, and makes no page
 *   npm run proof -- --seed N      repeats the random choices of an earlier run, except the moments of kills
 *
 * The check `linearizable` also runs on Citus if the variable CITUS_CLUSTER names a script that starts a cluster, as
 * test/harness/citus.ts describes it.
 *
 * Each check runs on the service and then on each of its controls, which break the claim on purpose. Exits with 1 if a
 * claim was broken, a control was not noticed, or a check could not run.
 *
 * A check is a folder lab/proof/NAME with `proof.json` (a Card of record.ts) and `check.ts`. `node
 * lab/proof/NAME/check.ts [--short] [--seed N] [--control NAME]` prints progress on standard error and an Outcome
 * (outcome.ts) as the last line on standard output. Controls run with --short.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { choose, readCommandLine } from '../../scripts/command-line.ts';
import { type Outcome, say } from './outcome.ts';
import { proofPage } from './proof-page.ts';
import { type Check, findChecks, isProved, ROOT, type Run, readRuns, writeRuns } from './record.ts';

/** The longest that one run of a check may take, in milliseconds. */
const LIMIT_MS = 60 * 60_000;

const { values, positionals } = readCommandLine(import.meta.filename, {
  options: { short: { type: 'boolean', default: false }, seed: { type: 'string' } },
  allowPositionals: true,
});
const seed = values.seed ?? String(randomInt(2 ** 31));
const checks = findChecks();
const asked = choose(checks, positionals);
install(asked.flatMap(({ needs = [] }) => needs));

let failed = 0;
for (const check of asked) {
  const run = await runWithControls(check);
  const proved = isProved(check, run);
  if (!proved) failed++;
  say(`${check.name}: ${proved ? 'held' : 'FAILED'} in ${run.seconds} s\n`);
  if (values.short) continue;
  const runs = { ...readRuns(), [check.name]: run };
  writeRuns(runs);
  writeFileSync(join(ROOT, 'docs/proof.md'), proofPage(checks, runs));
}
say(`${asked.length - failed} held, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

async function runWithControls(check: Check): Promise<Run> {
  const start = performance.now();
  const outcome = await run(check, values.short ? ['--short'] : []);
  const controls: Record<string, number | null> = {};
  for (const name of Object.keys(check.controls ?? {})) {
    controls[name] = (await run(check, ['--short', '--control', name]))?.violations ?? null;
  }
  return {
    date: new Date().toISOString().slice(0, 10),
    commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim(),
    seconds: Math.round((performance.now() - start) / 1_000),
    outcome,
    controls,
  };
}

/** Runs a check once. Resolves to null if it could not run. Prints the command that repeats a run that failed. */
async function run({ name, program }: Check, options: readonly string[]): Promise<Outcome | null> {
  const args = [program, '--seed', seed, ...options];
  say(`${name}: node ${args.join(' ')}`);
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
  const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  clearTimeout(timer);
  const outcome = readOutcome(output);
  if (outcome !== null) say(`${name}: ${JSON.stringify(outcome)}`);
  if (code !== 0) say(`${name}: failed with exit ${code}; to repeat it: node_modules/.bin/node ${args.join(' ')}`);
  return outcome;
}

/** Reads the last line. Null if it is not an outcome, or if all its counts and its violations are 0. */
function readOutcome(output: string): Outcome | null {
  try {
    const outcome = JSON.parse(output.trimEnd().split('\n').at(-1) ?? '') as Outcome;
    const tried = Object.values(outcome.counts).some((count) => count > 0);
    return tried || outcome.violations > 0 ? outcome : null;
  } catch {
    return null;
  }
}

/** Installs Debian packages that are missing, if run as root. Without them, the checks that need them fail. */
function install(packages: readonly string[]): void {
  const statusOf = (name: string) => spawnSync('dpkg', ['-s', name], { encoding: 'utf8' }).stdout ?? '';
  const missing = packages.filter((name) => !statusOf(name).includes('Status: install ok installed'));
  if (missing.length === 0) return;
  say(`missing packages: ${missing.join(' ')}`);
  if (process.getuid?.() !== 0) return;
  const aptGet = (...args: readonly string[]) =>
    spawnSync('apt-get', ['-qq', ...args], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  aptGet('update');
  aptGet('install', '-y', '--no-install-recommends', ...missing);
}
