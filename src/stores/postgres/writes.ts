/** The write statements on plants, each a transaction of its own, and what their results mean. */
import type { Created, Precondition } from '../../plants/plant-store.ts';
import type { Query, Statement } from './session.ts';

/** A row as it goes into the table. */
export interface PlantRow {
  readonly store: string;
  readonly id: bigint;
  readonly name: string;
  readonly tag: string | null;
  readonly digest: bigint | null;
  /** Of a new plant. */
  readonly version: bigint;
}

const INSERT: Statement = {
  name: 'plant-insert',
  text: `INSERT INTO plants (store, id, name, tag, tag_digest, version)
    SELECT * FROM unnest(CAST($1 AS text[]), CAST($2 AS int8[]), CAST($3 AS text[]), CAST($4 AS text[]),
      CAST($5 AS int8[]), CAST($6 AS int8[]))
    ON CONFLICT (store, id) DO NOTHING RETURNING store, id`,
};
/** Finds every combination of the stores and the ids; `createAll` looks at those that it asked for alone. */
const SELECT: Statement = {
  name: 'plant-select-many',
  text: 'SELECT store, id, name, tag FROM plants WHERE store = ANY(CAST($1 AS text[])) AND id = ANY(CAST($2 AS int8[]))',
};
const UPDATE: Statement = {
  name: 'plant-update',
  text: `UPDATE plants SET name = $3, tag = $4, tag_digest = $5, version = version + 1
    WHERE store = $1 AND id = $2 AND (CAST($6 AS int8[]) IS NULL OR version = ANY(CAST($6 AS int8[])))
    RETURNING version`,
};
const DELETE: Statement = {
  name: 'plant-delete',
  text: `DELETE FROM plants
    WHERE store = $1 AND id = $2 AND (CAST($3 AS int8[]) IS NULL OR version = ANY(CAST($3 AS int8[])))`,
};
const SELECT_VERSION: Statement = {
  name: 'plant-select-version',
  text: 'SELECT version FROM plants WHERE store = $1 AND id = $2',
};

/** Creates many plants by one statement; the results are in their order. Of several with one id the first wins. */
export async function createAll(query: Query, batch: readonly PlantRow[]): Promise<readonly Created[]> {
  // In the order of the key, so that batches of several replicas wait for each other rather than deadlock.
  const sorted = batch.length === 1 ? batch : [...batch].sort(byKey);
  let open = sorted.filter((row, i) => i === 0 || byKey(sorted[i - 1] as PlantRow, row) !== 0);
  /** What the table holds in the end, by key: a row of the batch where this created it. */
  const stored = new Map<string, Pick<PlantRow, 'name' | 'tag'>>();
  while (open.length > 0) {
    const inserted = await query(INSERT, columnsOf(open));
    if (inserted.count === batch.length) return batch.map(() => 'created');
    const created = new Set(inserted.rows.map(([store, id]) => keyOf(store, id)));
    for (const row of open) if (created.has(keyOf(row.store, row.id))) stored.set(keyOf(row.store, row.id), row);
    open = open.filter((row) => !stored.has(keyOf(row.store, row.id)));
    if (open.length === 0) break;
    const there = await query(SELECT, [[...new Set(open.map((row) => row.store))], open.map((row) => row.id)]);
    for (const [store, id, name, tag] of there.rows) {
      const key = keyOf(store, id);
      if (!stored.has(key)) stored.set(key, { name: name as string, tag: tag as string | null });
    }
    // What was there when the insert met it and is gone now may be inserted after all.
    open = open.filter((row) => !stored.has(keyOf(row.store, row.id)));
  }
  return batch.map((row) => {
    const there = stored.get(keyOf(row.store, row.id));
    if (there === row) return 'created';
    return there?.name === row.name && there.tag === row.tag ? 'same' : 'taken';
  });
}

/** Replaces a plant's content; resolves to its new version. */
export function replaceOne(query: Query, row: PlantRow, expected: Precondition): Promise<bigint | 'absent' | 'stale'> {
  const { store, id, name, tag, digest } = row;
  return conditionally(query, store, id, expected, async () => {
    const { rows } = await query(UPDATE, [store, id, name, tag, digest, expected ?? null]);
    return rows[0]?.[0] as bigint | undefined;
  });
}

export function deleteOne(
  query: Query,
  store: string,
  id: bigint,
  expected: Precondition,
): Promise<'deleted' | 'absent' | 'stale'> {
  return conditionally(query, store, id, expected, async () => {
    const { count } = await query(DELETE, [store, id, expected ?? null]);
    return count === 1 ? 'deleted' : undefined;
  });
}

/** Tells from the plant's version why a write changed no row. Where it would change one by now, the write is repeated. */
async function conditionally<T>(
  query: Query,
  store: string,
  id: bigint,
  expected: Precondition,
  write: () => Promise<T | undefined>,
): Promise<T | 'absent' | 'stale'> {
  for (;;) {
    const result = await write();
    if (result !== undefined) return result;
    const { rows } = await query(SELECT_VERSION, [store, id]);
    const version = rows[0]?.[0] as bigint | undefined;
    if (version === undefined) return 'absent';
    if (expected !== undefined && !expected.includes(version)) return 'stale';
  }
}

function columnsOf(rows: readonly PlantRow[]): readonly string[] {
  return [
    textArray(rows.map((row) => row.store)),
    `{${rows.map((row) => row.id).join()}}`,
    textArray(rows.map((row) => row.name)),
    textArray(rows.map((row) => row.tag)),
    `{${rows.map((row) => row.digest ?? 'NULL').join()}}`,
    `{${rows.map((row) => row.version).join()}}`,
  ];
}

/** An array as the server reads it (https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO); quicker than pg's. */
function textArray(values: readonly (string | null)[]): string {
  const items = values.map((value) => (value === null ? 'NULL' : `"${value.replace(/[\\"]/g, '\\$&')}"`));
  return `{${items.join()}}`;
}

function byKey(a: PlantRow, b: PlantRow): number {
  if (a.store !== b.store) return a.store < b.store ? -1 : 1;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

function keyOf(store: unknown, id: unknown): string {
  return `${id} ${store}`;
}
