/**
 * `npm test` runs all tests on SQLite and the tests of behaviour on PostgreSQL, with one summary for both. It starts
 * one PostgreSQL server for all of them. `npm test -- FILE…` runs only these files. TEST_ENGINE=sqlite or postgres
 * chooses one engine. `--times` prints the CPU and the time of each file. `npm run test:lab` runs the tests of the
 * laboratory. `npm run test:long` tries the further cases of the tests that have many. `npm run test:citus` runs the
 * tests of behaviour and the tests for Citus on a Citus cluster.
 */
import { globSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { run } from 'node:test';
import { spec, type TestEvent } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';
import { DIRECTORY_VARIABLE, startCluster } from '../test/harness/citus.ts';
import { LONG_VARIABLE } from '../test/harness/long.ts';
import { SERVER_VARIABLE, startPostgres } from '../test/harness/postgres.ts';
import { LAB, LONG, ROOMS } from './test-rooms.ts';
import { TIMES_VARIABLE, tableOf } from './test-times.ts';

const GROUP = fileURLToPath(import.meta.resolve('./test-group.ts'));

/** Tests of behaviour, which must be the same on every engine. */
const BEHAVIOUR = [
  'lab/test/black-box/*.test.ts',
  'test/{plants,operations}/*.test.ts',
  'test/features/sandbox/{faults,model,quota,replicas,sandboxes}.test.ts',
  'test/http/{concurrency,pipeline}.test.ts',
  'test/auth/{matrix,secrecy,stores,token}.test.ts',
  'test/cli/import.test.ts',
  'test/features/events/{exactly,feed,model}.test.ts',
  'test/features/webhooks/{delivery,exactly,replicas}.test.ts',
  'test/observe/metrics.test.ts',
];

/** A process takes up to 1.2 GB of memory. */
const MAX_PROCESSES = 6;

const args = process.argv.slice(2);
const asked = args.filter((arg) => !['--times', '--long', '--lab'].includes(arg));
const missing = asked.find((file) => !statSync(file, { throwIfNoEntry: false })?.isFile());
if (missing !== undefined) {
  process.stderr.write(
    `There is no test file ${missing}. Only --times and the names of files can follow npm test --.\n`,
  );
  process.exit(2);
}
const isLong = args.includes('--long');
const isLab = args.includes('--lab');
const showsTimes = args.includes('--times');
const only = process.env['TEST_ENGINE'];
/**
 * Returns the files to run among those of the patterns. The last names come first: the tests of the stores and walks
 * wait long for servers, and the tests of the laboratory then use the processors.
 */
const find = (patterns: readonly string[]) => {
  if (asked.length > 0) return asked;
  return globSync(patterns)
    .filter((file) => !isLong || LONG.includes(file))
    .sort()
    .reverse();
};
const rooms = [...(isLab ? [] : ROOMS), ...(isLab || isLong ? LAB : [])];
/** Engines, each with its test files. The tests on PostgreSQL wait most, so they begin first. */
const chosen = [
  { engine: 'postgres', files: isLab ? [] : find(BEHAVIOUR) },
  { engine: 'sqlite', files: find(rooms.map((room) => `${room}/**/*.test.ts`)) },
  { engine: 'citus-before', files: find(BEHAVIOUR) },
  { engine: 'citus-after', files: find(BEHAVIOUR) },
  { engine: 'citus', files: asked.length > 0 ? [] : find(['test/citus/*.test.ts']) },
].filter(({ engine }) => (only === undefined ? !engine.startsWith('citus') : engine.startsWith(only)));
if (chosen.length === 0) throw new Error(`TEST_ENGINE must be sqlite, postgres or citus, not ${JSON.stringify(only)}`);
const isCitus = only?.startsWith('citus') ?? false;

const reporter = spec();
reporter.pipe(process.stdout);
const totals = new Map<string, number>();
let failed = false;

// No test stops this server: a test that stops a server starts its own. Each test drops its tables soon.
const server = isCitus ? await startCluster() : await startPostgres(['fsync=off', 'autovacuum=off']);
if (server === undefined) process.exit();
// On an interruption the package of the server stops it but keeps its files. Some may still be written meanwhile.
process.once('exit', () => rmSync(server.directory, { recursive: true, force: true, maxRetries: 5 }));
const times = join(server.directory, 'times-of-tests');
const env = {
  ...process.env,
  [SERVER_VARIABLE]: server.url,
  [DIRECTORY_VARIABLE]: server.directory,
  ...((isLong || isCitus) && { [LONG_VARIABLE]: 'yes' }),
  ...(showsTimes && { [TIMES_VARIABLE]: times }),
  // The processes of the tests, and those that the tests start, load the whole service.
  NODE_COMPILE_CACHE: resolve('node_modules/.cache/plant-store'),
};

/** Runs a process that takes tasks. The reporter gets the events of a file together, when the file has ended. */
async function runProcess(argv: readonly string[]): Promise<void> {
  let file: TestEvent[] = [];
  const events = run({ files: [GROUP], argv, env }).compose(new PassThrough({ objectMode: true }));
  for await (const event of events as AsyncIterable<TestEvent>) {
    if (event.type === 'test:summary') continue;
    if (event.type === 'test:fail') failed = true;
    const isTotal = event.type === 'test:diagnostic' && event.data.nesting === 0;
    const [, name, value] = /^(\w+) ([\d.]+)$/.exec(isTotal ? event.data.message : '') ?? [];
    if (name === undefined) file.push(event);
    else totals.set(name, (totals.get(name) ?? 0) + Number(value));
    const isEnd = event.type === 'test:pass' || event.type === 'test:fail';
    if (!isEnd || event.data.nesting > 0) continue;
    for (const one of file) reporter.write(one);
    file = [];
  }
  for (const one of file) reporter.write(one);
}

const started = performance.now();
try {
  // The tests on a Citus cluster share its nodes, so its engines take turns.
  for (const [round, engines] of (isCitus ? chosen.map((one) => [one]) : [chosen]).entries()) {
    const taken = join(server.directory, `taken-${round}`);
    mkdirSync(taken);
    const tasks = engines.flatMap(({ engine, files }) => files.map((file) => `${engine} ${file}`));
    // More processes than processors, since many tests wait. The tests for Citus stop nodes that all of them use.
    const processes =
      engines[0]?.engine === 'citus' ? 1 : Math.min(availableParallelism() + 2, MAX_PROCESSES, tasks.length);
    await Promise.all(Array.from({ length: processes }, () => runProcess([taken, ...tasks])));
  }
  if (showsTimes) process.stdout.write(`\n${tableOf(readFileSync(times, 'utf8'))}\n`);
} finally {
  await server.remove();
}
totals.set('duration_ms', performance.now() - started);
for (const [name, value] of totals) {
  reporter.write({
    type: 'test:diagnostic',
    data: { nesting: 0, message: `${name} ${Math.round(value)}`, level: 'info' },
  });
}
reporter.end();
// The hooks of the embedded server's package would keep the process alive.
reporter.once('end', () => process.exit(failed ? 1 : 0));
