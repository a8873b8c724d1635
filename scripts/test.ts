/**
 * `npm test` runs all tests on SQLite, then the tests of behaviour on PostgreSQL, with one summary for both. It starts
 * one PostgreSQL server for all of them. `npm test -- FILE…` runs only these files. TEST_ENGINE=sqlite or postgres
 * chooses one engine. `--times` prints the CPU of each file. `npm run test:long` tries the further cases of the tests
 * that have many. `npm run test:citus` runs the tests of behaviour and the tests for Citus on a Citus cluster.
 */
import { existsSync, globSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';
import { DIRECTORY_VARIABLE, startCluster } from '../test/harness/citus.ts';
import { LONG_VARIABLE } from '../test/harness/long.ts';
import { SERVER_VARIABLE, startPostgres } from '../test/harness/postgres.ts';
import { LONG, ROOMS } from './test-rooms.ts';
import { TIMES_VARIABLE, tableOf } from './test-times.ts';

/** Tests of behaviour, which must be the same on every engine. */
const BEHAVIOUR = [
  'lab/test/black-box/*.test.ts',
  'test/{plants,operations}/*.test.ts',
  'test/features/sandbox/{faults,model,quota,replicas,sandboxes}.test.ts',
  'test/http/{concurrency,create-plant,pipeline}.test.ts',
  'test/auth/{matrix,secrecy,stores,token}.test.ts',
  'test/cli/import.test.ts',
  'test/features/events/{exactly,feed,model}.test.ts',
  'test/features/webhooks/{delivery,exactly,replicas}.test.ts',
  'test/observe/metrics.test.ts',
];

const args = process.argv.slice(2);
const asked = args.filter((arg) => arg !== '--times' && arg !== '--long');
const missing = asked.find((file) => !existsSync(file));
if (missing !== undefined) {
  process.stderr.write(
    `There is no test file ${missing}. Only --times and the names of files can follow npm test --.\n`,
  );
  process.exit(2);
}
const isLong = args.includes('--long');
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
const rounds = [
  { engine: 'sqlite', files: find(ROOMS.map((room) => `${room}/**/*.test.ts`)) },
  { engine: 'postgres', files: find(BEHAVIOUR) },
  { engine: 'citus-before', files: find(BEHAVIOUR) },
  { engine: 'citus-after', files: find(BEHAVIOUR) },
  { engine: 'citus', files: asked.length > 0 ? [] : find(['test/citus/*.test.ts']) },
].filter(({ engine }) => (only === undefined ? !engine.startsWith('citus') : engine.startsWith(only)));
if (rounds.length === 0) throw new Error(`TEST_ENGINE must be sqlite, postgres or citus, not ${JSON.stringify(only)}`);

const reporter = spec();
reporter.pipe(process.stdout);
const totals = new Map<string, number>();
let failed = false;

// No test stops this server: a test that stops a server starts its own.
const server = only?.startsWith('citus') ? await startCluster() : await startPostgres(['fsync=off']);
if (server === undefined) process.exit();
// On an interruption the package of the server stops it but keeps its files. Some may still be written meanwhile.
process.once('exit', () => rmSync(server.directory, { recursive: true, force: true, maxRetries: 5 }));
const times = join(server.directory, 'times-of-tests');
try {
  for (const { engine, files } of rounds) {
    process.stdout.write(`\nOn ${engine}:\n\n`);
    const env = {
      ...process.env,
      TEST_ENGINE: engine,
      [SERVER_VARIABLE]: server.url,
      [DIRECTORY_VARIABLE]: server.directory,
      ...((isLong || engine.startsWith('citus')) && { [LONG_VARIABLE]: 'yes' }),
      ...(showsTimes && { [TIMES_VARIABLE]: times }),
      // Each test file runs in its own process, and most load the whole service.
      NODE_COMPILE_CACHE: resolve('node_modules/.cache/plant-store'),
    };
    // More processes than processors, since many tests wait. The tests for Citus stop nodes that all of them use.
    const concurrency = engine === 'citus' ? 1 : availableParallelism() + 2;
    const execArgv = showsTimes ? ['--import', fileURLToPath(import.meta.resolve('./test-times.ts'))] : [];
    const events = run({ files, env, execArgv, concurrency }).compose(new PassThrough({ objectMode: true }));
    for await (const event of events) {
      if (event.type === 'test:fail') failed = true;
      const [, name, value] = /^(\w+) ([\d.]+)$/.exec(event.type === 'test:diagnostic' ? event.data.message : '') ?? [];
      if (name !== undefined && event.data.nesting === 0) totals.set(name, (totals.get(name) ?? 0) + Number(value));
      else if (event.type !== 'test:summary') reporter.write(event);
    }
  }
  if (showsTimes) process.stdout.write(`\n${tableOf(readFileSync(times, 'utf8'))}\n`);
} finally {
  await server.remove();
}
for (const [name, value] of totals) {
  reporter.write({
    type: 'test:diagnostic',
    data: { nesting: 0, message: `${name} ${Math.round(value)}`, level: 'info' },
  });
}
reporter.end();
// The hooks of the embedded server's package would keep the process alive.
reporter.once('end', () => process.exit(failed ? 1 : 0));
