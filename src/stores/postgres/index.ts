/** The shared engine: PostgreSQL, or a server that speaks as it does, for any number of replicas. */
import type { Engine, EngineOptions } from '../engine.ts';
import { createCommitQueue } from './commit-queue.ts';
import { check, snapshot } from './data.ts';
import { onFirstConnection, readServer } from './database.ts';
import { cursorKey, prepareTables } from './migrations.ts';
import { postgresPlants } from './plants.ts';
import { createPool } from './pool.ts';
import { createRunner } from './runner.ts';
import { postgresTokens } from './tokens.ts';

export interface PostgresOptions extends EngineOptions {
  /** How many connections this process may open, 1 or more. */
  readonly connections: number;
  /** The longest that a call may take, in milliseconds. */
  readonly bound: number;
}

/** Batches under way at once. More would be smaller ones, and cost more statements. */
const LANES = 4;

/** Opens the database of a postgres:// URL. Throws a StartupError when it cannot be used. */
export async function openPostgres(url: string, options: PostgresOptions): Promise<Engine> {
  const { bound, random, connections, queueLimit, onCommit, access, create = access !== 'read' } = options;
  const server = readServer(url, bound);
  const key = await onFirstConnection(server, bound, async (connection) => {
    await prepareTables(connection, create, bound, random);
    return cursorKey(connection, bound);
  });
  const pool = createPool({ size: connections, waitLimit: queueLimit, bound, random, connect: server.connect });
  const runner = createRunner(pool, bound, random);
  const lanes = Math.min(LANES, connections);
  const queue = createCommitQueue(runner, { limit: queueLimit, lanes, bound, onCommit });
  return {
    location: server.location,
    plants: { ...postgresPlants(runner, queue, random, onCommit), snapshot: (store) => snapshot(server, store) },
    tokens: postgresTokens(runner),
    waiting: queue.length,
    check: () => check(url),
    unchecked: 'pages and indexes are for pg_amcheck',
    cursorKey: key,
    async close() {
      await queue.close();
      await pool.close();
    },
  };
}
