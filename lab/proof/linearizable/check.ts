/**
 * Records what clients of the same few plants see, and asks porcupine whether one order of the requests explains it.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { generateToken } from '../../../src/auth/token.ts';
import { distribute, layOutTables, startCluster } from '../../../test/harness/citus.ts';
import { type Client, createClient } from '../../../test/harness/client.ts';
import { createDirectory } from '../../../test/harness/directory.ts';
import { startPostgres } from '../../../test/harness/postgres.ts';
import { type ServiceProcess, serveProcess } from '../../../test/harness/process.ts';
import { freePort } from '../../grade/receiver/free-port.ts';
import { environmentOf } from '../control.ts';
import { createViolations, runCheck, say } from '../outcome.ts';
import { runRound } from './concurrent-clients.ts';

/** The requests of one round, in which each service is killed once. No two rounds use the same plants. */
const ROUND = 2_500;
const FULL = 100_000;
const SHORT = 5_000;
const PLANTS = 10;

/** Where the plants are, and how many processes serve them. */
interface Setup extends AsyncDisposable {
  readonly name: string;
  readonly processes: number;
  /** The value for `--database`. */
  readonly database: string;
}

function openFile(processes: number): Setup {
  const directory = createDirectory();
  return {
    name: `operations on SQLite (${processes === 1 ? '1 process' : `${processes} processes`})`,
    processes,
    database: `sqlite:${directory.at('plants.db')}`,
    [Symbol.asyncDispose]: async () => directory[Symbol.dispose](),
  };
}

async function openServer(): Promise<Setup> {
  const { url, remove } = await startPostgres();
  return { name: 'operations on PostgreSQL (2 replicas)', processes: 2, database: url, [Symbol.asyncDispose]: remove };
}

/** Undefined if there is no script that starts a cluster. */
async function openCluster(): Promise<Setup | undefined> {
  if (process.env['CITUS_CLUSTER'] === undefined) {
    say('Citus is left out, since CITUS_CLUSTER is not set');
    return undefined;
  }
  const cluster = await startCluster();
  if (cluster === undefined) return undefined;
  await layOutTables(cluster.url);
  await distribute(cluster.url);
  const { url, remove } = cluster;
  return { name: 'operations on Citus (2 replicas)', processes: 2, database: url, [Symbol.asyncDispose]: remove };
}

/** Starts a service that can be killed and started again at the same address. */
async function startMortal(options: readonly string[], env: NodeJS.ProcessEnv & { PLANTSTORE_TOKEN: string }) {
  const args = ['--port', String(await freePort()), '--log-level', 'fatal', ...options];
  let service: ServiceProcess = await serveProcess(args, env);
  const client: Client = createClient(service.url, env.PLANTSTORE_TOKEN);
  return {
    client,
    async kill() {
      await service.stop('SIGKILL');
      service = await serveProcess(args, env);
    },
    async stop() {
      client.close();
      await service.stop('SIGTERM');
    },
  };
}

/** Compiles the judge. */
function buildJudge(): string {
  const cache = resolve(import.meta.dirname, '../../../node_modules/.cache/plant-store-proof');
  mkdirSync(cache, { recursive: true });
  const judge = join(cache, 'judge');
  execFileSync('go', ['build', '-o', judge, '.'], { cwd: join(import.meta.dirname, 'judge'), stdio: 'inherit' });
  return judge;
}

await runCheck(async ({ short, control, random }) => {
  const judge = buildJudge();
  const violations = createViolations();
  const counts: Record<string, number> = { operations: 0, plants: 0, kills: 0 };
  const add = (what: string, count: number) => {
    counts[what] = (counts[what] ?? 0) + count;
  };
  let porcupine = '';
  const token = generateToken();
  const env = { PLANTSTORE_TOKEN: token, ...environmentOf(control) };

  const run = async ({ name, processes, database }: Setup, requests: number, withEvents: boolean) => {
    const title = withEvents ? `${name} with events` : name;
    const options = ['--database', database, ...(withEvents ? ['--events'] : [])];
    const services = await Promise.all(Array.from({ length: processes }, () => startMortal(options, env)));
    for (let first = 0; first < requests; first += ROUND) {
      const kills: Promise<void>[] = [];
      const history = await runRound({
        ids: Array.from({ length: PLANTS }, (_, i) => (first / ROUND) * 2 * PLANTS + i),
        clients: services.map(({ client }) => client),
        requests: Math.min(ROUND, requests - first),
        random,
        onProgress(done) {
          const next = services[kills.length];
          if (next === undefined || done < (ROUND * (kills.length + 1)) / (services.length + 1)) return;
          kills.push(next.kill());
        },
      });
      await Promise.all(kills);
      add('operations', history.length);
      add('plants', PLANTS);
      add('kills', kills.length);
      add(title, history.length);
      const input = history.map((operation) => `${JSON.stringify(operation)}\n`).join('');
      const { stdout } = spawnSync(judge, { input, encoding: 'utf8', maxBuffer: 2 ** 26 });
      const verdict = JSON.parse(stdout) as { wrong: readonly string[]; porcupine: string };
      porcupine = verdict.porcupine;
      for (const plant of verdict.wrong) violations.add(`${title}: ${plant}`);
      if ((first / ROUND) % 8 === 0) say(`${title}: ${first + history.length} operations judged`);
    }
    await Promise.all(services.map((service) => service.stop()));
  };
  const setups = short ? [() => openFile(2)] : [() => openFile(1), () => openFile(2), openServer, openCluster];
  const requests = control !== undefined ? ROUND : short ? SHORT : FULL;
  for (const open of setups) {
    for (const withEvents of short ? [false] : [false, true]) {
      await using setup = await open();
      if (setup !== undefined) await run(setup, requests, withEvents);
    }
  }
  return { counts, versions: { porcupine }, ...violations.result() };
});
