/** Runs a Citus cluster for tests with the script in CITUS_CLUSTER, and distributes tables as operators do. */
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { generateToken, hashToken } from '../../src/auth/token.ts';
import { scopes } from '../../src/contract/openapi.generated.ts';
import { withEngine } from '../../src/stores/open.ts';
import { createSchema, execute } from './postgres.ts';

/** Takes `up DIR PORT`, which prints the coordinator's URL, `stop|start DIR NODE` and `down DIR`. */
const SCRIPT = process.env['CITUS_CLUSTER'];
/** The variable that passes the shared cluster to the test files. */
export const DIRECTORY_VARIABLE = 'TEST_CITUS_DIRECTORY';
/** Fewer shards than operators have, because every test creates its own tables. */
const SHARDS = 4;

export const NODES = ['coord', 'w1', 'w2'] as const;
export type Node = (typeof NODES)[number];

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
/** The tables as the documentation shows them. */
const TABLES = /```sql\n(CREATE TABLE plantstore_meta[\s\S]*?)```/.exec(read('docs/postgres.md'))?.[1] ?? '';
const DISTRIBUTE = read('deploy/citus/distribute.sql');
const NODE = read('deploy/citus/node.sql');

export interface Cluster {
  readonly directory: string;
  /** The URL of the database on the coordinator, for its superuser. */
  readonly url: string;
  remove(): Promise<void>;
}

/** Starts a cluster. Returns undefined, and prints the reason, if there is no script for one. */
export async function startCluster(): Promise<Cluster | undefined> {
  if (SCRIPT === undefined) {
    process.stdout.write('Skipped: CITUS_CLUSTER names no script that starts a cluster (test/harness/citus.ts).\n');
    return undefined;
  }
  const directory = join(tmpdir(), `plantstore-citus-${process.pid}`);
  // An interrupted run stops its servers too.
  process.once('exit', () => spawnSync(SCRIPT, ['down', directory], { cwd: tmpdir() }));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const url = (await script('up', directory, String(await freePorts()))).trim();
  for (const node of NODES) {
    // ALTER SYSTEM cannot run in a transaction, not even in the implicit one of several statements.
    for (const statement of NODE.replace(/^--.*$/gm, '').split(';')) await execute(urlOf(url, node), statement);
  }
  return { directory, url, remove: async () => void (await script('down', directory)) };
}

/** Returns the URL of the same database on another node. */
export function urlOf(coordinator: string, node: Node): string {
  const url = new URL(coordinator);
  url.port = String(Number(url.port) + NODES.indexOf(node));
  return url.href;
}

export function stopNode(node: Node, ...mode: readonly string[]): Promise<string> {
  return script('stop', directoryOfTests(), node, ...mode);
}

export function startNode(node: Node): Promise<string> {
  return script('start', directoryOfTests(), node);
}

/** Creates the tables, as operators may do before the first start. */
export async function layOutTables(url: string): Promise<void> {
  await execute(url, TABLES);
}

export async function distribute(url: string, shards = SHARDS): Promise<void> {
  await execute(url, `SET citus.shard_count = ${shards}; ${DISTRIBUTE}`);
}

/** Creates a schema with distributed tables, and a token for each of its stores. */
export async function createDistributed(server: string, stores: number, shards?: number) {
  const schema = await createSchema(server);
  await layOutTables(schema.url);
  await distribute(schema.url, shards);
  return { schema, tokens: await addTokens(schema.url, stores) };
}

/** Creates a token for each of the stores `store-0`, `store-1` and so on. */
export async function addTokens(url: string, stores: number): Promise<readonly string[]> {
  return withEngine(url, 'plants', true, async ({ tokens }) => {
    const made = Array.from({ length: stores }, generateToken);
    for (const [i, token] of made.entries()) {
      const record = { hash: hashToken(token), name: `store-${i}`, store: `store-${i}`, createdAt: Date.now() };
      await tokens.add({ ...record, scopes, expiresAt: undefined, revokedAt: undefined });
    }
    return made;
  });
}

function directoryOfTests(): string {
  const directory = process.env[DIRECTORY_VARIABLE];
  if (directory === undefined) throw new Error('there is no cluster: run the tests by npm run test:citus');
  return directory;
}

async function script(...args: readonly string[]): Promise<string> {
  return (await promisify(execFile)(SCRIPT ?? '', args, { cwd: tmpdir() })).stdout;
}

/** Finds a free port for each node, in a row, and returns the first. */
async function freePorts(): Promise<number> {
  const isFree = (port: number) =>
    new Promise<boolean>((resolve) => {
      const server = createServer().once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
    });
  for (let port = 21_000; port < 30_000; port += NODES.length) {
    if ((await Promise.all(NODES.map((_, i) => isFree(port + i)))).every(Boolean)) return port;
  }
  throw new Error('no ports');
}
