/** Handles all that differs on a Citus cluster, where `plants` may be distributed over nodes by store. */
import { StartupError } from '../../errors.ts';
import type { EventKind } from '../../plants/event.ts';
import type { Activity } from './events.ts';
import type { Query } from './session.ts';
import { columnsOf, inTransaction, plainWrites, REPLACE, type Writes } from './writes.ts';

const HAS_CITUS = "SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL";
/** Group 0 is the coordinator. A worker sees only the tables that are in the metadata of Citus. */
const BARE_WORKER = `SELECT 1 FROM pg_dist_local_group WHERE groupid <> 0 AND cardinality(CAST($1 AS text[])) >
    (SELECT count(*) FROM pg_tables WHERE schemaname = current_schema() AND tablename = ANY(CAST($1 AS text[])))`;
const DISTRIBUTION_COLUMN = `SELECT column_to_column_name(logicalrelid, partkey) FROM pg_dist_partition
    WHERE logicalrelid = to_regclass('plants') AND partkey IS NOT NULL`;
/** Ignores a node that cannot be reached, so that the stores of other nodes are served. */
const NODES_NOT_DURABLE = `SELECT nodename || ':' || nodeport
    FROM run_command_on_all_nodes('SHOW synchronous_commit', give_warning_for_connection_errors := true)
    JOIN pg_dist_node USING (nodeid) WHERE success AND result = 'off'`;

/** Lists the sessions of all nodes. */
export const ON_CLUSTER: Activity = {
  select: `SELECT CAST(global_pid AS text) || ' ' || backend_start, pg_has_role(usename, 'USAGE')
    FROM citus_stat_activity
    WHERE datname = current_database() AND global_pid <> citus_backend_gpid()
      AND substring(application_name FROM ' -?[0-9]+$')
        = substring(current_setting('application_name') FROM ' -?[0-9]+$')`,
  end: `SELECT pg_terminate_backend(global_pid) FROM citus_stat_activity
    WHERE CAST(global_pid AS text) || ' ' || backend_start = ANY($1) AND global_pid <> citus_backend_gpid()`,
};

export function hasCitus(query: Query): Promise<boolean> {
  return query(HAS_CITUS).then(([row]) => row?.[0] === true);
}

/** Throws a StartupError on a worker without the tables: other nodes would not see tables that it creates. */
export async function refuseBareWorker(query: Query, tables: readonly string[]): Promise<void> {
  if ((await query(BARE_WORKER, [tables])).length === 0) return;
  throw new StartupError('it is a Citus worker without the tables: distribute them on the coordinator first');
}

/**
 * Whether `plants` is distributed. Throws a StartupError if its writes would not be durable or not visible immediately.
 */
export async function isDistributed(query: Query): Promise<boolean> {
  const [column] = await query(DISTRIBUTION_COLUMN);
  if (column === undefined) return false;
  if (column[0] !== 'store') throw new StartupError(`plants is distributed by ${column[0]}, but must be by store`);
  // The setting of this session does not apply to the connections between the nodes.
  const nodes = await query(NODES_NOT_DURABLE);
  if (nodes.length === 0) return true;
  throw new StartupError(`synchronous_commit is off on ${nodes.join(', ')}: turn it on on every node`);
}

/**
 * Inserts rows of one store. One row of VALUES with a constant store goes to the store's node as one statement, and
 * becomes many rows there. Citus would pull the rows of a SELECT to the coordinator and commit in two phases. Between
 * the phases, a confirmed plant may be missing from lists.
 */
const INSERT = `INSERT INTO plants (store, id, name, tag, tag_digest, version)
    VALUES (CAST($1 AS text), unnest(CAST($2 AS int8[])), unnest(CAST($3 AS text[])), unnest(CAST($4 AS text[])),
      unnest(CAST($5 AS int8[])), unnest(CAST($6 AS int8[])))
    ON CONFLICT (store, id) DO NOTHING RETURNING store, id`;

const insertIntoStore: Writes['insert'] = (query, rows) => {
  const [, ...contents] = columnsOf(rows);
  return query(INSERT, [rows[0]?.store, ...contents]);
};

export const distributedWrites: Writes = { ...plainWrites, insert: insertIntoStore };

const COUNT = `INSERT INTO event_counts AS counts (store, last) VALUES ($1, $2)
    ON CONFLICT (store) DO UPDATE SET last = counts.last + excluded.last RETURNING last`;
const NOTE = `INSERT INTO events (store, at, kind, number, id, name, tag, previous_name, previous_tag)
    VALUES (CAST($1 AS text), CAST(extract(epoch FROM clock_timestamp()) * 1000 AS int8), CAST($2 AS text),
      unnest(CAST($3 AS int8[])), unnest(CAST($4 AS int8[])),
      unnest(CAST($5 AS text[])), unnest(CAST($6 AS text[])), unnest(CAST($7 AS text[])), unnest(CAST($8 AS text[])))`;
const DELETE = `DELETE FROM plants
    WHERE plants.store = $1 AND plants.id = $2
      AND (CAST($3 AS int8[]) IS NULL OR version = ANY(CAST($3 AS int8[])))
      AND (CAST($4 AS int8[]) IS NULL OR version <> ALL(CAST($4 AS int8[])))
    RETURNING version, name, tag`;
/** Locks the row before it is read, so that the update replaces exactly these values. */
const PREVIOUS = 'SELECT name, tag FROM plants WHERE store = $1 AND id = $2 FOR UPDATE';

type Change = readonly [id: unknown, name: unknown, tag: unknown, previousName: unknown, previousTag: unknown];

/**
 * Changes plants of one store and writes their events. PostgreSQL does so with one statement of several parts. Citus
 * would move the rows of its parts between the nodes, which takes 20 times as long, and commit in two phases. So each
 * part is a statement here. All go to the node of the store. They must share a transaction.
 */
export const eventStatements: Writes = {
  async insert(query, rows) {
    const inserted = await insertIntoStore(query, rows);
    const created = new Set(inserted.map(([, id]) => id));
    const changes = rows
      .filter(({ id }) => created.has(id))
      .map(({ id, name, tag }) => [id, name, tag, null, null] as const);
    await note(query, rows[0]?.store, 'created', changes);
    return inserted;
  },
  async replace(query, values) {
    const [store, id, , , name, tag] = values;
    const [previous] = await query(PREVIOUS, [store, id]);
    // Another session may create the plant now. Its row is not locked, so it must not be replaced.
    if (previous === undefined) return [];
    const replaced = await query(REPLACE, values);
    await note(
      query,
      store,
      'replaced',
      replaced.map(() => [id, name, tag, previous[0], previous[1]]),
    );
    return replaced;
  },
  async delete(query, values) {
    const [store, id] = values;
    const deleted = await query(DELETE, values);
    await note(
      query,
      store,
      'deleted',
      deleted.map(([, name, tag]) => [id, null, null, name, tag]),
    );
    return deleted;
  },
};

export const eventTransactions: Writes = {
  insert: (query, rows) => inTransaction(query, () => eventStatements.insert(query, rows)),
  replace: (query, values) => inTransaction(query, () => eventStatements.replace(query, values)),
  delete: (query, values) => inTransaction(query, () => eventStatements.delete(query, values)),
};

/** Counts the changes of a store and writes their events. */
async function note(query: Query, store: unknown, kind: EventKind, changes: readonly Change[]): Promise<void> {
  if (changes.length === 0) return;
  const [counted = []] = await query(COUNT, [store, changes.length]);
  const [last] = counted as readonly [bigint];
  const numbers = changes.map((_, i) => last - BigInt(changes.length - 1 - i));
  const columns = [0, 1, 2, 3, 4].map((column) => changes.map((change) => change[column]));
  await query(NOTE, [store, kind, numbers, ...columns]);
}
