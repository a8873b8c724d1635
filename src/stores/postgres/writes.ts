/** The write statements on plants, each a transaction of its own, and what their results mean. */
import type { Created, Precondition } from '../../plants/plant-store.ts';
import type { Query } from './session.ts';

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

/** A statement and its parameters that inserts rows, passes over those that are there, and returns the keys of the others. */
export type Insertion = (rows: readonly PlantRow[]) => readonly [text: string, values: readonly unknown[]];

const INSERT = `INSERT INTO plants (store, id, name, tag, tag_digest, version)
    SELECT * FROM unnest(CAST($1 AS text[]), CAST($2 AS int8[]), CAST($3 AS text[]), CAST($4 AS text[]),
      CAST($5 AS int8[]), CAST($6 AS int8[]))
    ON CONFLICT (store, id) DO NOTHING RETURNING store, id`;
/** Finds every combination of the stores and the ids; `createAll` looks at those that it asked for alone. */
const SELECT =
  'SELECT store, id, name, tag FROM plants WHERE store = ANY(CAST($1 AS text[])) AND id = ANY(CAST($2 AS int8[]))';
const CONDITION = 'store = $1 AND id = $2 AND (CAST($3 AS int8[]) IS NULL OR version = ANY(CAST($3 AS int8[])))';
const UPDATE = `UPDATE plants SET name = $4, tag = $5, tag_digest = $6, version = version + 1 WHERE ${CONDITION} RETURNING version`;
const DELETE = `DELETE FROM plants WHERE ${CONDITION} RETURNING version`;
const SELECT_VERSION = 'SELECT version FROM plants WHERE store = $1 AND id = $2';

/** Creates many plants by one statement; the results are in their order. Of several with one id the first wins. */
export async function createAll(
  query: Query,
  batch: readonly PlantRow[],
  insertion: Insertion = insertColumns,
): Promise<readonly Created[]> {
  // In the order of the key, so that batches of several replicas wait for each other rather than deadlock.
  const sorted = batch.length === 1 ? batch : [...batch].sort(byKey);
  let open = sorted.filter((row, i) => i === 0 || byKey(sorted[i - 1] as PlantRow, row) !== 0);
  /** What the table holds in the end, by key: a row of the batch where this created it. */
  const stored = new Map<string, Pick<PlantRow, 'name' | 'tag'>>();
  while (open.length > 0) {
    const inserted = await query(...insertion(open));
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
  return writeOne(query, UPDATE, store, id, expected, [name, tag, digest]);
}

export async function deleteOne(query: Query, store: string, id: bigint, expected: Precondition) {
  const result = await writeOne(query, DELETE, store, id, expected, []);
  return typeof result === 'bigint' ? 'deleted' : result;
}

async function writeOne(
  query: Query,
  statement: string,
  store: string,
  id: bigint,
  expected: Precondition,
  content: readonly unknown[],
): Promise<bigint | 'absent' | 'stale'> {
  for (;;) {
    const [written] = await query(statement, [store, id, expected ?? null, ...content]);
    if (written !== undefined) return written[0] as bigint;
    // The plant's version tells why no row was changed. Where one would be changed by now, the write is repeated.
    const [there] = await query(SELECT_VERSION, [store, id]);
    if (there === undefined) return 'absent';
    if (expected !== undefined && !expected.includes(there[0] as bigint)) return 'stale';
  }
}

export function insertColumns(rows: readonly PlantRow[]): ReturnType<Insertion> {
  const columns = ['store', 'id', 'name', 'tag', 'digest', 'version'] as const;
  return [INSERT, columns.map((column) => rows.map((row) => row[column]))];
}

function byKey(a: PlantRow, b: PlantRow): number {
  if (a.store !== b.store) return a.store < b.store ? -1 : 1;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

function keyOf(store: unknown, id: unknown): string {
  return `${id} ${store}`;
}
