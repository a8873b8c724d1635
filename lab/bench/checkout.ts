/** Measures a checkout of this project: its service on both engines, and its import. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, createWriteStream, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { createSchema, type PostgresServer } from '../../test/harness/postgres.ts';
import type { Figures } from './figures.ts';
import { atFullLoad, atHalfLoad, type Workload } from './measure.ts';
import { plantStore, ROOT, type Server, start } from './servers.ts';
import { load } from './wrk.ts';

/** How long and among how many plants to measure. */
export interface Amount {
  readonly seconds: number;
  /** The number of plants of an import, and of a store before creates with random ids. */
  readonly plants: number;
}

/** On the repository's disk. The system's temporary folder may be in memory, where a sync costs nothing. */
const CACHE = join(ROOT, 'node_modules/.cache/plant-store-bench');
const SEQUENTIAL: Workload = { request: 'create', ids: 'sequential' };
const RANDOM: Workload = { request: 'create', ids: 'random' };

/** The open directories. After a signal, the process exits immediately, and removes them then. */
const directories = new Set<string>();
process.once('exit', () => [...directories].forEach(remove));

/** Runs work with a directory on the repository's disk, and removes the directory afterwards. */
export async function inDirectory<T>(work: (directory: string) => Promise<T>): Promise<T> {
  mkdirSync(CACHE, { recursive: true });
  const directory = mkdtempSync(join(CACHE, 'run-'));
  directories.add(directory);
  try {
    return await work(directory);
  } finally {
    remove(directory);
  }
}

function remove(directory: string): void {
  // A server that is being killed may still write.
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  directories.delete(directory);
}

export async function onServer<T>(
  contender: ReturnType<typeof plantStore>,
  directory: string,
  work: (server: Server) => Promise<T>,
): Promise<T> {
  const server = await start(contender, directory);
  try {
    return await work(server);
  } finally {
    await server.stop();
  }
}

/** A new database: a schema of the server, or a file in the directory. */
export async function newDatabase(
  directory: string,
  postgres: PostgresServer | undefined,
): Promise<AsyncDisposable & { readonly url: string }> {
  if (postgres !== undefined) return createSchema(postgres.url);
  return { url: `sqlite:${join(directory, 'plants.db')}`, [Symbol.asyncDispose]: async () => undefined };
}

/** Measures the checkout in `root`. */
export async function measureCheckout(root: string, amount: Amount, postgres: PostgresServer): Promise<Figures> {
  return {
    ...(await inDirectory((directory) => measureEmpty(root, directory, amount))),
    ...(await inDirectory((directory) => measureStocked(root, directory, amount))),
    ...(await inDirectory((directory) => measurePostgres(root, directory, amount, postgres))),
    ...(await inDirectory((directory) => measureImports(root, directory, amount))),
  };
}

async function measureEmpty(root: string, directory: string, { seconds }: Amount): Promise<Figures> {
  return onServer(plantStore(root), directory, async (server) => {
    const warm = await atFullLoad(server, SEQUENTIAL, 0, seconds);
    const full = await atFullLoad(server, SEQUENTIAL, warm.requests, seconds);
    return {
      'create, sequential ids: CPU µs': full.cpu,
      'create, sequential ids: per second': full.rate,
      'ready after: ms': server.readyAfter,
      'most memory under full load: MB': server.peakMemory(),
    };
  });
}

async function measureStocked(root: string, directory: string, { seconds, plants }: Amount): Promise<Figures> {
  copyFileSync(await stock(root, plants), join(directory, 'plants.db'));
  return onServer(plantStore(root), directory, async (server) => {
    const gets = { request: 'get', ids: 'random' } as const;
    await atFullLoad(server, gets, plants, seconds);
    const get = await atFullLoad(server, gets, plants, seconds);
    const list = await atFullLoad(server, { ...gets, request: 'list' }, plants, seconds);
    const warm = await atFullLoad(server, RANDOM, plants, seconds);
    const create = await atFullLoad(server, RANDOM, plants + warm.requests, 2 * seconds);
    const stored = plants + warm.requests + create.requests;
    const half = await atHalfLoad(server, RANDOM, stored, create.rate, 2 * seconds);
    return {
      'get: CPU µs': get.cpu,
      'list of 100: CPU µs': list.cpu,
      'create, random ids among many: CPU µs': create.cpu,
      'create, random ids among many: per second': create.rate,
      'create, random ids among many: p99 at half load, ms': half,
    };
  });
}

async function measurePostgres(
  root: string,
  directory: string,
  { seconds }: Amount,
  postgres: PostgresServer,
): Promise<Figures> {
  await using schema = await createSchema(postgres.url);
  return await onServer(plantStore(root, schema.url), directory, async (server) => {
    const warm = await atFullLoad(server, RANDOM, 0, seconds);
    const full = await atFullLoad(server, RANDOM, warm.requests, 2 * seconds);
    return { 'PostgreSQL, create: per second': full.rate };
  });
}

async function measureImports(root: string, directory: string, { seconds, plants }: Amount): Promise<Figures> {
  const timed = async (ids: 'sequential' | 'random', database: string) => {
    const file = await input(ids, plants);
    const began = performance.now();
    await plantstore(root, 'import', file, '--database', `sqlite:${join(directory, database)}`);
    return (plants * 1_000) / (performance.now() - began);
  };
  const figures = {
    'import in order: per second': await timed('sequential', 'in-order.db'),
    'import at random: per second': await timed('random', 'at-random.db'),
  };
  // Clients write to the same file during an import. Their ids differ from the import's.
  return onServer(plantStore(root), directory, async (server) => {
    const importing = timed('random', 'plants.db');
    const writes = { ...SEQUENTIAL, stored: 0, seconds, connections: 16, think: 10 };
    const { p99 } = await load(server.url, writes);
    await importing;
    return { ...figures, 'create during an import: p99, ms': p99 };
  });
}

/** A database of plants with random ids. The checkout's import creates it once, and later runs use it again. */
async function stock(root: string, plants: number): Promise<string> {
  const file = join(CACHE, `${basename(root)}-${plants}.db`);
  if (existsSync(file)) return file;
  await plantstore(root, 'import', await input('random', plants), '--database', `sqlite:${file}`);
  return file;
}

/** A file with this number of plants, as NDJSON, with the same ids as load.lua. Later runs use it again. */
async function input(ids: 'sequential' | 'random', plants: number): Promise<string> {
  const path = join(CACHE, `${ids}-${plants}.ndjson`);
  if (existsSync(path)) return path;
  const file = createWriteStream(path);
  for (let index = 0; index < plants; index++) {
    const id = ids === 'sequential' ? index + 1 : randomId(index);
    const line = `{"id":${id},"name":"Aloe vera ${index}","tag":"succulent"}\n`;
    if (!file.write(line)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'finish');
  return path;
}

/** The finaliser of MurmurHash3: maps every 32 bits to different 32 bits, as if at random. load.lua has the same. */
function mixed(n: number): number {
  let hash = Math.imul(n ^ (n >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

/** Below 2^53, since other servers hold ids in JavaScript numbers. */
function randomId(index: number): number {
  return (mixed(index) >>> 0) * 2 ** 21 + (mixed(index ^ 0x5bd1e995) & 0x1fffff);
}

/** Runs a command of a checkout. */
export function plantstore(root: string, ...args: readonly string[]) {
  return promisify(execFile)(join(root, 'bin/plantstore'), args);
}
