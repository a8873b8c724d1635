/** The engine for any number of replicas: PostgreSQL, or a server with its protocol. */
import { createBatcher } from '../batcher.ts';
import type { Engine, Statements } from '../engine.ts';
import { storedTokens } from '../stored-tokens.ts';
import { check } from './check.ts';
import {
  distributedWrites,
  eventStatements,
  eventTransactions,
  hasCitus,
  isDistributed,
  ON_CLUSTER,
  refuseBareWorker,
} from './citus.ts';
import { copyingOnCitus } from './citus-copying.ts';
import { openClient, type PostgresOptions } from './client.ts';
import { onFirstConnection, readServer } from './database.ts';
import { eventWrites } from './event-writes.ts';
import { ON_SERVER, postgresEvents } from './events.ts';
import { prepareTables, TABLES } from './migrations.ts';
import { postgresPlants } from './plants.ts';
import { createAtOnce } from './quota-insert.ts';
import { type QuotaResult, type QuotaWrite, withQuota, writeAll } from './quota-writes.ts';
import { copying } from './replace-all.ts';
import { createAll, type PlantRow, plainWrites } from './writes.ts';

/** A larger batch would delay the writes behind it. */
const MAX_BATCH = 1_000;
/** Batches that are committed at the same time. More batches would be smaller, and so need more statements. */
const LANES = 4;
/** Replacing and deleting take several statements each, and the store stays locked. */
const MAX_QUOTA_BATCH = 250;

/**
 * Only one of several processes can insert the row `claim`. Otherwise two processes could both find no tokens. The
 * claim itself reads `tokens`: on Citus, an INSERT into a table of the cluster may not read another table.
 */
const INSERT_FIRST_TOKEN = `WITH claim AS (
      INSERT INTO plantstore_meta (key, value) SELECT 'first-token', CAST($1 AS text)
      WHERE NOT EXISTS (SELECT 1 FROM tokens) ON CONFLICT DO NOTHING RETURNING key
    )
    INSERT INTO tokens (hash, name, store, scopes, created_at, expires_at, revoked_at)
    SELECT CAST($1 AS text), CAST($2 AS text), CAST($3 AS text), CAST($4 AS text),
      CAST($5 AS int8), CAST($6 AS int8), CAST($7 AS int8) FROM claim`;

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
  const plain = distributed ? distributedWrites : plainWrites;
  const eventful = distributed ? eventTransactions : eventWrites;
  const writesWith = (withEvents: boolean) => (withEvents ? eventful : plain);
  const createRows = (rows: readonly PlantRow[], deadline?: number) =>
    client.write((query, withEvents) => createAll(query, rows, writesWith(withEvents)), deadline);
  /** How plants are changed within a transaction. */
  const statementsWith = (withEvents: boolean) =>
    withEvents && distributed ? eventStatements : writesWith(withEvents);
  const waits = { maxWaiting: queueLimit, lanes: Math.min(LANES, connections), timeout, onCommit };
  const creates = createBatcher({
    commit: createRows,
    ...(distributed && { keyOf: (row: PlantRow) => row.store }),
    maxBatch: MAX_BATCH,
    ...waits,
  });
  /** Has lanes of its own, so writes to other stores continue while a quota is locked. */
  const quotaWrites = createBatcher<QuotaWrite, QuotaResult>({
    commit: (batch, deadline) =>
      client.write(async (query, withEvents) => {
        const rows = batch.flatMap((write) => (write.kind === 'create' ? [write.row] : []));
        const areCreates = rows.length === batch.length && !distributed;
        const created = areCreates ? await createAtOnce(query, rows, withEvents) : undefined;
        if (created !== undefined) return created;
        const writes = statementsWith(withEvents);
        const store = batch[0]?.store ?? '';
        return withQuota(query, store, withEvents, (quota) => writeAll(query, batch, writes, quota));
      }, deadline),
    keyOf: ({ store }) => store,
    inOrder: true,
    maxBatch: MAX_QUOTA_BATCH,
    ...waits,
  });
  const statements: Statements = {
    read: client.read,
    write: (sql, values) => client.write((query) => query(sql, values)),
  };
  return {
    location: server.location,
    plants: postgresPlants({
      server,
      client,
      batches: { one: creates.add, many: createRows, limited: quotaWrites.add },
      writesWith,
      copying: distributed ? copyingOnCitus : copying,
      random,
      onCommit,
    }),
    // Run as a read, so that it is repeated if its result is lost. A second run changes nothing.
    tokens: storedTokens(statements, (row) => client.read(INSERT_FIRST_TOKEN, row)),
    statements,
    events: postgresEvents(client, citus ? ON_CLUSTER : ON_SERVER),
    cursorKey,
    waiting: () => creates.length() + quotaWrites.length(),
    check: () => check(server),
    unchecked: 'its pages and indexes, which pg_amcheck checks',
    async close() {
      await Promise.all([creates.idle(), quotaWrites.idle()]);
      await client.close();
    },
  };
}
