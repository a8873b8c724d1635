/**
 * `npm test`: every test on SQLite, then those of behaviour on PostgreSQL, with one summary for both. One PostgreSQL is
 * started for all of them. `npm test -- FILE…` runs some files; TEST_ENGINE=sqlite or postgres runs them on one engine.
 * `npm run test:citus` runs those of behaviour on a Citus cluster, and its own.
 */
import { globSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { DIRECTORY_VARIABLE, startCluster } from '../test/harness/citus.ts';
import { SERVER_VARIABLE, startPostgres } from '../test/harness/postgres.ts';

/** What every engine has to do: nothing in these knows which one it is. What no store has a part in is left out. */
const BEHAVIOUR = [
  '{black-box,plants,operations}/*.test.ts',
  'sandbox/{faults,replicas,sandboxes}.test.ts',
  'http/{concurrency,create-plant,pipeline}.test.ts',
  'auth/{matrix,secrecy,stores,token}.test.ts',
  'cli/import.test.ts',
  'observe/metrics.test.ts',
];

/** The files that took longest when last measured. A name that is no longer there does no harm. */
const LONGEST = [
  'test/http/connections.test.ts',
  'test/grade/grade.test.ts',
  'test/stores/postgres/failures.test.ts',
  'test/stores/replicas.test.ts',
  'test/contract/generate.test.ts',
  'test/stores/postgres/start-up.test.ts',
  'test/plants/linearizability.test.ts',
  'test/operations/list-plants.test.ts',
  'test/cli/output.test.ts',
  'test/durability/kill.test.ts',
  'test/walks/operator.test.ts',
  'test/defects/defects.test.ts',
  'test/cli/import.test.ts',
  'test/walks/teacher.test.ts',
  'test/durability/shutdown.test.ts',
  'test/cli/token.test.ts',
  'test/sandbox/sandboxes.test.ts',
  'test/sandbox/faults.test.ts',
  'test/cli/serve.test.ts',
  'test/transfer/ndjson.test.ts',
  'test/auth/jwt.test.ts',
  'test/plants/model.test.ts',
  'test/durability/fatal.test.ts',
];

const asked = process.argv.slice(2);
const only = process.env['TEST_ENGINE'];
/** Longest first: a long file that starts last would run alone, beside idle processors. */
const find = (patterns: readonly string[]) => {
  const files = new Set(globSync(patterns.map((pattern) => `test/${pattern}`)).sort());
  return [...LONGEST.filter((file) => files.delete(file)), ...files];
};
const rounds = [
  { engine: 'sqlite', files: asked.length > 0 ? asked : find(['**/*.test.ts']) },
  { engine: 'postgres', files: asked.length > 0 ? asked : find(BEHAVIOUR) },
  { engine: 'citus-before', files: asked.length > 0 ? asked : find(BEHAVIOUR) },
  { engine: 'citus-after', files: asked.length > 0 ? asked : find(BEHAVIOUR) },
  { engine: 'citus', files: asked.length > 0 ? [] : globSync('test-citus/*.test.ts') },
].filter(({ engine }) => (only === undefined ? !engine.startsWith('citus') : engine.startsWith(only)));
if (rounds.length === 0) throw new Error(`TEST_ENGINE is sqlite, postgres or citus, not ${JSON.stringify(only)}`);

const reporter = spec();
reporter.pipe(process.stdout);
const totals = new Map<string, number>();
let failed = false;

// Nothing ends it: tests that end a server have one of their own.
const server = only?.startsWith('citus') ? await startCluster() : await startPostgres(['fsync=off']);
if (server === undefined) process.exit();
// An interruption ends the server by a hook of its package, which keeps the files. Some may still come meanwhile.
process.once('exit', () => rmSync(server.directory, { recursive: true, force: true, maxRetries: 5 }));
try {
  for (const { engine, files } of rounds) {
    process.stdout.write(`\nOn ${engine}:\n\n`);
    const env = {
      ...process.env,
      TEST_ENGINE: engine,
      [SERVER_VARIABLE]: server.url,
      [DIRECTORY_VARIABLE]: server.directory,
      // Each file is a process of its own, and most load the whole service.
      NODE_COMPILE_CACHE: resolve('node_modules/.cache/plant-store'),
    };
    // More than there are processors, since many a test waits.
    const concurrency = availableParallelism() + 2;
    const events = run({ files, env, concurrency }).compose(new PassThrough({ objectMode: true }));
    for await (const event of events) {
      if (event.type === 'test:fail') failed = true;
      const [, name, value] = /^(\w+) ([\d.]+)$/.exec(event.type === 'test:diagnostic' ? event.data.message : '') ?? [];
      if (name !== undefined && event.data.nesting === 0) totals.set(name, (totals.get(name) ?? 0) + Number(value));
      else if (event.type !== 'test:summary') reporter.write(event);
    }
  }
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
// The embedded server's package keeps hooks that would hold the process.
reporter.once('end', () => process.exit(failed ? 1 : 0));
