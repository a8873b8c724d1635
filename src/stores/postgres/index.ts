/** The engine for any number of replicas: PostgreSQL, or a server with its protocol. */
import { createBatcher } from '../batcher.ts';
import type { Engine } from '../engine.ts';
import { check } from './check.ts';
import { eventTransactions, hasCitus, insertIntoStore, isDistributed, ON_CLUSTER, refuseBareWorker } from './citus.ts';
import { openClient, type PostgresOptions } from './client.ts';
import { onFirstConnection, readServer } from './database.ts';
import { eventWrites } from './event-writes.ts';
import { ON_SERVER, postgresEvents, RESET_EVENT } from './events.ts';
import { prepareTables, TABLES } from './migrations.ts';
import { postgresPlants } from './plants.ts';
import { postgresTokens } from './tokens.ts';
import { createAll, type PlantRow, plainWrites } from './writes.ts';

/** A larger batch would delay the writes behind it. */
const MAX_BATCH = 1_000;
/** Batches that are committed at the same time. More batches would be smaller, and so need more statements. */
const LANES = 4;

/** Opens the database of a postgres:// URL. Throws a StartupError when it cannot be used. */
export async function openPostgres(url: string, options: PostgresOptions): Promise<Engine> {
  const { timeout, random, connections, queueLimit, onCommit, access, create = access !== 'read' } = options;
  const { onUpgrade } = options;
  const server = readServer(url, timeout);
  const { citus, cursorKey, distributed } = await onFirstConnection(server, timeout, async (query) => {
    const citus = await hasCitus(query);
    if (citus) await refuseBareWorker(query, TABLES);
    const cursorKey = await prepareTables(query, { create, timeout, onUpgrade });
    return { citus, cursorKey, distributed: citus && (await isDistributed(query)) };
  });
  const client = openClient(server.config, options);
  const plain = plainWrites(distributed ? insertIntoStore : undefined);
  const eventful = distributed ? eventTransactions : eventWrites;
  const writesWith = (withEvents: boolean) => (withEvents ? eventful : plain);
  const createRows = (rows: readonly PlantRow[], deadline?: number) =>
    client.write((query, withEvents) => createAll(query, rows, writesWith(withEvents)), deadline);
  const fill = (store: string, rows: readonly PlantRow[]) =>
    client.write(async (query, withEvents) => {
      // Nobody reads the store yet, so its first event needs no common transaction with its plants.
      for (const sql of withEvents ? RESET_EVENT : []) await query(sql, [store]);
      await createAll(query, rows, plain);
    });
  const creates = createBatcher({
    commit: createRows,
    ...(distributed && { keyOf: (row: PlantRow) => row.store }),
    maxBatch: MAX_BATCH,
    maxWaiting: queueLimit,
    lanes: Math.min(LANES, connections),
    timeout,
    onCommit,
  });
  return {
    location: server.location,
    plants: postgresPlants(server, client, { one: creates.add, many: createRows, fill }, writesWith, random, onCommit),
    tokens: postgresTokens(client),
    statements: {
      read: client.read,
      write: (sql, values) => client.write((query) => query(sql, values)),
    },
    events: postgresEvents(client, citus ? ON_CLUSTER : ON_SERVER),
    cursorKey,
    waiting: creates.length,
    check: () => check(server),
    unchecked: 'its pages and indexes, which pg_amcheck checks',
    async close() {
      await creates.idle();
      await client.close();
    },
  };
}
