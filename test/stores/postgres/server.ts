/** Engines, users and locks on a PostgreSQL that a test may disturb. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { StoreFailure, type StoreFailureReason } from '../../../src/errors.ts';
import type { PostgresOptions } from '../../../src/stores/postgres/client.ts';
import { openPostgres } from '../../../src/stores/postgres/index.ts';
import { createSchema, execute } from '../../harness/postgres.ts';

export const STORE = 'default';
export const aloe = (id: bigint) => ({ id, name: `Aloe ${id}` });
/** The time limit of a call. */
export const BOUND = 1_000;
/** What a busy machine may add. A call without a limit would wait much longer. */
const SLACK = 9_000;
/** Calls succeed again within this time after the server's return. */
const RECOVERY = 10_000;

export const OPTIONS: PostgresOptions = {
  queueLimit: 20_000,
  connections: 4,
  timeout: BOUND,
  random: Math.random,
  onFatal: (cause) => assert.fail(String(cause)),
};

/** Opens an engine on its own schema. Use with `await using`. A test may close the engine earlier. */
export async function openOn(server: string, options: Partial<PostgresOptions> = {}) {
  const schema = await createSchema(server);
  const engine = await openPostgres(schema.url, { ...OPTIONS, ...options });
  return {
    ...engine,
    name: schema.name,
    url: schema.url,
    async [Symbol.asyncDispose]() {
      await engine.close();
      await schema[Symbol.asyncDispose]();
    },
  };
}

/** Creates a user with the schema in its search_path, and with these rights on its existing tables. */
export async function createUser(server: string, schema: string, rights: string) {
  const name = `user_${schema}`;
  const drop = () => execute(server, `DROP OWNED BY ${name}; DROP USER ${name}`);
  const make = () =>
    execute(
      server,
      `CREATE USER ${name} PASSWORD 'user'; ALTER ROLE ${name} SET search_path = ${schema};
       GRANT USAGE ON SCHEMA ${schema} TO ${name}; GRANT ${rights} ON ALL TABLES IN SCHEMA ${schema} TO ${name}`,
    );
  await make();
  const { href: url } = Object.assign(new URL(server), { username: name, password: 'user' });
  return { name, url, drop, make, [Symbol.asyncDispose]: async () => void (await drop()) };
}

/** Locks the plants: every call on them waits until the returned client is ended. */
export async function lockPlants(url: string): Promise<pg.Client> {
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  await holder.query('BEGIN; LOCK TABLE plants IN ACCESS EXCLUSIVE MODE');
  return holder;
}

const WAITING = "FROM pg_stat_activity WHERE application_name LIKE 'plantstore%' AND wait_event_type = 'Lock'";

/** Waits until exactly `calls` statements of the service wait for a lock. */
export async function untilWaiting(server: string, calls: number): Promise<void> {
  const deadline = performance.now() + 5 * BOUND;
  while ((await execute(server, `SELECT 1 ${WAITING}`)).length !== calls) {
    assert.ok(performance.now() < deadline, `not ${calls} wait`);
    await sleep(10);
  }
}

/** Waits for statements that wait for a lock, and ends their connections. */
export async function cutWaiting(server: string): Promise<void> {
  while ((await execute(server, `SELECT pg_terminate_backend(pid) ${WAITING}`)).length === 0) await sleep(10);
}

export type Engine = Pick<Awaited<ReturnType<typeof openPostgres>>, 'plants' | 'tokens'>;
export const create = ({ plants }: Engine, id = 1n) => bounded(plants.create(STORE, aloe(id)));
export const replace = ({ plants }: Engine, id = 1n) => bounded(plants.replace(STORE, aloe(id), undefined));
export const read = ({ plants }: Engine, id = 1n) => bounded(plants.get(STORE, id));

/** Creates the plant 1 until the store is reachable. Resolves to the result. */
export async function recovered(engine: Engine) {
  const deadline = performance.now() + RECOVERY;
  for (;;) {
    const result = await create(engine);
    if (result !== 'unreachable') return result;
    assert.ok(performance.now() < deadline, 'traffic is not back in time');
    await sleep(10);
  }
}

/** Resolves to a call's result, or to the reason of its failure. Fails if the call took too long. */
export async function bounded<T>(call: Promise<T>): Promise<T | StoreFailureReason> {
  const start = performance.now();
  try {
    return await call;
  } catch (error) {
    if (error instanceof StoreFailure) return error.reason;
    throw error;
  } finally {
    const took = performance.now() - start;
    assert.ok(took < BOUND + SLACK, `a call took ${took} ms`);
  }
}
