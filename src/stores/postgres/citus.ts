/** Handles all that differs on a Citus cluster, where `plants` may be distributed over nodes by store. */
import { StartupError } from '../../errors.ts';
import type { Query } from './session.ts';
import type { Insertion } from './writes.ts';

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
const CONTENT_COLUMNS = ['id', 'name', 'tag', 'digest', 'version'] as const;
const INSERT = `INSERT INTO plants (store, id, name, tag, tag_digest, version)
    VALUES (CAST($1 AS text), unnest(CAST($2 AS int8[])), unnest(CAST($3 AS text[])), unnest(CAST($4 AS text[])),
      unnest(CAST($5 AS int8[])), unnest(CAST($6 AS int8[])))
    ON CONFLICT (store, id) DO NOTHING RETURNING store, id`;

export const insertIntoStore: Insertion = {
  text: INSERT,
  values: (rows) => [rows[0]?.store, ...CONTENT_COLUMNS.map((column) => rows.map((row) => row[column]))],
};
