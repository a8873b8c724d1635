/**
 * Measures how the cost of requests grows with the number of plants, on SQLite and PostgreSQL. The ids of the stored
 * plants are spread over the range of the random ids, so that each create is among them.
 */
import { once } from 'node:events';
import { createWriteStream, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createSchema, execute, type PostgresServer } from '../../test/harness/postgres.ts';
import { inDirectory, plantstore } from './checkout.ts';
import { cpuOfPostgres, sizeOf } from './cost.ts';
import type { Figures, Rounds } from './figures.ts';
import { atFullLoad, type Workload } from './measure.ts';
import { plantStore, ROOT, type Server } from './servers.ts';
import { type Running, withServers } from './side-by-side.ts';
import { load } from './wrk.ts';

export interface Extent {
  /** The numbers of plants of the stores. */
  readonly sizes: readonly number[];
  readonly rounds: number;
  readonly seconds: number;
}

export interface Growth {
  readonly rounds: Rounds;
  /** How PostgreSQL runs the statement of each read, by store. */
  readonly plans: ReadonlyMap<string, Readonly<Record<string, string>>>;
}

interface Store {
  readonly name: string;
  readonly plants: number;
  readonly url: string;
  /** The number of plants with random ids that were created so far. */
  created: number;
  /** What was measured once, when the store was filled. */
  readonly figures: Record<string, number>;
  readonly plans: Record<string, string>;
}

/** One plant in this number has the tag that is listed. */
const RARE = 1_000;
const WARM_SECONDS = 1;
const MB = 1e6;

/** Without a PostgreSQL server the stores are in SQLite. */
export async function measureGrowth(
  { sizes, rounds, seconds }: Extent,
  postgres: PostgresServer | undefined,
  say: (text: string) => void,
): Promise<Growth> {
  return inDirectory(async (directory) => {
    await using schemas = new AsyncDisposableStack();
    const stores: Store[] = [];
    for (const plants of sizes) {
      const url =
        postgres === undefined
          ? `sqlite:${join(directory, `${plants}.db`)}`
          : schemas.use(await createSchema(postgres.url)).url;
      const store = {
        name: `${plants.toLocaleString('en-US')} plants`,
        plants,
        url,
        created: 0,
        figures: {},
        plans: {},
      };
      say(`filling ${store.name}`);
      await fill(store, directory);
      stores.push(store);
    }
    const measured = new Map(stores.map(({ name }) => [name, [] as Figures[]]));
    const contenders = stores.map(({ name, url }) => ({ ...plantStore(ROOT, url), name }));
    for (let round = 1; round <= rounds; round++) {
      say(`round ${round} of ${rounds}`);
      await withServers(round % 2 === 1 ? contenders : contenders.toReversed(), say, async (all) => {
        const pairs = all.map(
          (running) => [running, stores.find(({ name }) => name === running.contender.name)] as const,
        );
        for (const load of [get, page, taggedPage, create]) {
          for (const [running, store] of pairs) if (store !== undefined) await load(running, store, seconds, postgres);
        }
        for (const [{ server, figures, contender }, store] of pairs) {
          const rest = { 'ready after: ms': server.readyAfter, 'most memory: MB': server.peakMemory() };
          const filled = round === 1 ? store?.figures : {};
          measured.get(contender.name)?.push({ ...figures, ...rest, ...filled });
        }
      });
    }
    return { rounds: measured, plans: new Map(stores.map(({ name, plans }) => [name, plans])) };
  });
}

async function fill({ plants, url, figures }: Store, directory: string): Promise<void> {
  const path = join(directory, 'plants.ndjson');
  const file = createWriteStream(path);
  // load.lua has the same.
  const distance = Math.floor(2 ** 53 / plants);
  for (let index = 0; index < plants; index++) {
    const tag = index % RARE === 0 ? 'rare' : 'succulent';
    const line = `{"id":${index * distance},"name":"Aloe vera ${index}","tag":"${tag}"}\n`;
    if (!file.write(line)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'finish');
  const began = performance.now();
  await plantstore(ROOT, 'import', path, '--database', url);
  figures['import: per second'] = (plants * 1_000) / (performance.now() - began);
  rmSync(path);
  // The server does this by itself within minutes. Until then plans and costs change.
  if (!url.startsWith('sqlite:')) await execute(url, 'VACUUM ANALYZE');
  figures['size: MB'] = (await sizeOf(url)) / MB;
}

type Measure = (running: Running, store: Store, seconds: number, postgres: PostgresServer | undefined) => Promise<void>;

const get = reading('get', 'get: CPU µs');
const page = reading('list', 'page of 100: CPU µs');
const taggedPage = reading('tagged', 'page of a rare tag: CPU µs');

function reading(request: 'get' | 'list' | 'tagged', column: string): Measure {
  return async ({ server, figures }, { plants, url, plans }, seconds, postgres) => {
    const workload: Workload = { request, ids: 'spread' };
    await load(server.url, { ...workload, stored: plants, seconds: WARM_SECONDS });
    figures[column] = (await atFullLoad(withPostgres(server, postgres), workload, plants, seconds)).cpu;
    if (postgres !== undefined) plans[request] = await lastPlan(url);
  };
}

async function create(
  { server, figures }: Running,
  store: Store,
  seconds: number,
  postgres: PostgresServer | undefined,
) {
  const both = withPostgres(server, postgres);
  const workload: Workload = { request: 'create', ids: 'random' };
  const warm = await atFullLoad(both, workload, store.created, WARM_SECONDS);
  const full = await atFullLoad(both, workload, store.created + warm.requests, seconds);
  store.created += warm.requests + full.requests;
  figures['create at random: CPU µs'] = full.cpu;
}

/** Adds the CPU time of all processes of the server. */
function withPostgres(server: Server, postgres: PostgresServer | undefined): Server {
  if (postgres === undefined) return server;
  return { ...server, cpu: () => server.cpu() + cpuOfPostgres(postgres.directory) };
}

/** Returns the plan of the statement that a service ran last. The plan is the same for all values. */
async function lastPlan(url: string): Promise<string> {
  const [last] = await execute(
    url,
    `SELECT query FROM pg_stat_activity WHERE query LIKE '%FROM plants%' AND pid <> pg_backend_pid()
      ORDER BY query_start DESC LIMIT 1`,
  );
  const rows = await execute(url, `EXPLAIN (GENERIC_PLAN, COSTS OFF) ${last?.['query']}`);
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}
