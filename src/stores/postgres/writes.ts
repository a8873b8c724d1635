/** Changes plants. Each statement is its own transaction, unless it runs in `inTransaction`. */
import { type Created, isMet, type Precondition } from '../../plants/plant-store.ts';
import type { Query, Row } from './session.ts';

export interface PlantRow {
  readonly store: string;
  readonly id: bigint;
  readonly name: string;
  readonly tag: string | null;
  readonly digest: bigint | null;
  /** The version of a new plant. */
  readonly version: bigint;
}

/**
 * How plants are changed, with or without events. Each call is one transaction, unless it runs in `inTransaction`. A
 * call of `eventStatements` (citus.ts) must run there.
 */
export interface Writes {
  /** Inserts the rows whose keys do not exist yet. Resolves to their keys. */
  insert(query: Query, rows: readonly PlantRow[]): Promise<readonly Row[]>;
  /** `values`: store, id, both parts of the condition, name, tag, digest. Resolves to the new version, or to no row. */
  replace(query: Query, values: readonly unknown[]): Promise<readonly Row[]>;
  /** `values`: store, id, both parts of the condition. Resolves to the last version, or to no row. */
  delete(query: Query, values: readonly unknown[]): Promise<readonly Row[]>;
}

const INSERT = `INSERT INTO plants (store, id, name, tag, tag_digest, version)
    SELECT * FROM unnest(CAST($1 AS text[]), CAST($2 AS int8[]), CAST($3 AS text[]), CAST($4 AS text[]),
      CAST($5 AS int8[]), CAST($6 AS int8[]))
    ON CONFLICT (store, id) DO NOTHING RETURNING store, id`;
/** Finds every combination of the stores and the ids. `createAll` ignores the extra rows. */
const SELECT =
  'SELECT store, id, name, tag FROM plants WHERE store = ANY(CAST($1 AS text[])) AND id = ANY(CAST($2 AS int8[]))';
export const REPLACE = `UPDATE plants SET name = $5, tag = $6, tag_digest = $7, version = version + 1
    WHERE plants.store = $1 AND plants.id = $2
      AND (CAST($3 AS int8[]) IS NULL OR version = ANY(CAST($3 AS int8[])))
      AND (CAST($4 AS int8[]) IS NULL OR version <> ALL(CAST($4 AS int8[])))
    RETURNING version`;
const DELETE = `DELETE FROM plants
    WHERE plants.store = $1 AND plants.id = $2
      AND (CAST($3 AS int8[]) IS NULL OR version = ANY(CAST($3 AS int8[])))
      AND (CAST($4 AS int8[]) IS NULL OR version <> ALL(CAST($4 AS int8[])))
    RETURNING version`;
const SELECT_VERSION = 'SELECT version FROM plants WHERE store = $1 AND id = $2';

const COLUMNS = ['store', 'id', 'name', 'tag', 'digest', 'version'] as const;
/** The values of an INSERT statement: an array for each column. */
export const columnsOf = (rows: readonly PlantRow[]) => COLUMNS.map((column) => rows.map((row) => row[column]));

/** Only changes plants. */
export const plainWrites: Writes = {
  insert: (query, rows) => query(INSERT, columnsOf(rows)),
  replace: (query, values) => query(REPLACE, values),
  delete: (query, values) => query(DELETE, values),
};

/** Creates many plants. If several plants have the same id, the first wins. */
export async function createAll(
  query: Query,
  batch: readonly PlantRow[],
  { insert }: Pick<Writes, 'insert'>,
): Promise<readonly Created[]> {
  // Sorted by key, so that batches of several replicas do not deadlock.
  const sorted = batch.length === 1 ? batch : [...batch].sort(byKey);
  let open = sorted.filter((row, i) => i === 0 || byKey(sorted[i - 1] as PlantRow, row) !== 0);
  /** The rows of the table at the end, by key. A row of the batch means that this call created it. */
  const stored = new Map<string, Pick<PlantRow, 'name' | 'tag'>>();
  while (open.length > 0) {
    const inserted = await insert(query, open);
    if (inserted.length === batch.length) return batch.map(() => 'created');
    const created = new Set(inserted.map(([store, id]) => keyOf(store, id)));
    for (const row of open) if (created.has(keyOf(row.store, row.id))) stored.set(keyOf(row.store, row.id), row);
    open = open.filter((row) => !stored.has(keyOf(row.store, row.id)));
    if (open.length === 0) break;
    const there = await query(SELECT, [[...new Set(open.map((row) => row.store))], open.map((row) => row.id)]);
    for (const [store, id, name, tag] of there) {
      const key = keyOf(store, id);
      if (!stored.has(key)) stored.set(key, { name: name as string, tag: tag as string | null });
    }
    // A plant that prevented the insert may be gone now, so its row is inserted again.
    open = open.filter((row) => !stored.has(keyOf(row.store, row.id)));
  }
  return batch.map((row) => {
    const there = stored.get(keyOf(row.store, row.id));
    if (there === row) return 'created';
    return there?.name === row.name && there.tag === row.tag ? 'same' : 'taken';
  });
}

/** Runs statements as one transaction. */
export async function inTransaction<T>(query: Query, work: () => Promise<T>): Promise<T> {
  await query('BEGIN');
  try {
    const result = await work();
    await query('COMMIT');
    return result;
  } catch (error) {
    await query('ROLLBACK').catch(() => {
      // The connection was lost, so there is nothing to roll back.
    });
    throw error;
  }
}

/** A replacement or a deletion of a plant. */
export type Change = Readonly<
  | { kind: 'replace'; store: string; row: PlantRow; condition: Precondition | undefined }
  | { kind: 'delete'; store: string; id: bigint; condition: Precondition | undefined }
>;
export type Changed = bigint | 'deleted' | 'absent' | 'stale';

/** Changes a plant. Resolves to the new version of a replaced plant. */
export async function changeOne(query: Query, change: Change, writes: Writes): Promise<Changed> {
  const { store, condition = {} } = change;
  const key = [store, change.kind === 'replace' ? change.row.id : change.id];
  const { only = null, except = null } = condition;
  // `every` excludes all versions, so no version may be changed: an empty list for `only`.
  const which = [...key, ...(except === 'every' ? [[], null] : [only, except])];
  for (;;) {
    if (change.kind === 'replace') {
      const { name, tag, digest } = change.row;
      const [replaced] = await writes.replace(query, [...which, name, tag, digest]);
      if (replaced !== undefined) return replaced[0] as bigint;
    } else if ((await writes.delete(query, which)).length > 0) return 'deleted';
    // The plant's version shows why no row was changed. If the write would succeed now, it is repeated.
    const [there] = await query(SELECT_VERSION, key);
    if (there === undefined) return 'absent';
    if (!isMet(condition, there[0] as bigint)) return 'stale';
  }
}

function byKey(a: PlantRow, b: PlantRow): number {
  if (a.store !== b.store) return a.store < b.store ? -1 : 1;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

function keyOf(store: unknown, id: unknown): string {
  return `${id} ${store}`;
}
