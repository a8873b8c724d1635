/**
 * Writes to a store with a quota: all writes of a batch in one transaction, which locks the row of the quota first. So
 * the transactions of a store run one after another, on all replicas.
 */
import { type Created, isMet } from '../../plants/plant-store.ts';
import { plantSize } from '../plant-size.ts';
import { type Full, QuotaCount, SELECT_QUOTA, TRIM_EVENTS, UPDATE_QUOTA } from '../quota-count.ts';
import type { Query } from './session.ts';
import { type Change, type Changed, createAll, inTransaction, type PlantRow, type Writes } from './writes.ts';

export type QuotaWrite = Readonly<{ kind: 'create'; store: string; row: PlantRow }> | Change;
export type QuotaResult = Created | Changed | Full;

const LOCK_QUOTA = `${SELECT_QUOTA} FOR UPDATE`;
const SELECT_IDS = 'SELECT id FROM plants WHERE store = $1 AND id = ANY(CAST($2 AS int8[]))';
const SELECT_PLANT = 'SELECT version, name, tag FROM plants WHERE store = $1 AND id = $2';

/**
 * Runs work in a transaction that locks the quota of a store, and then stores what the work counted in `quota`.
 * `withEvents`: also deletes the oldest events, which the quota does not allow.
 */
export function withQuota<T>(
  query: Query,
  store: string,
  withEvents: boolean,
  work: (quota: QuotaCount) => Promise<T>,
): Promise<T> {
  return inTransaction(query, async () => {
    const [row] = await query(LOCK_QUOTA, [store]);
    const quota = new QuotaCount(row);
    const result = await work(quota);
    if (quota.isChanged) await query(UPDATE_QUOTA, [store, quota.plants, quota.bytes]);
    if (withEvents) await query(TRIM_EVENTS, [store, quota.mostEvents]);
    return result;
  });
}

/** Runs writes of one store in their order. `writes`: how plants are changed within a transaction. */
export async function writeAll(
  query: Query,
  batch: readonly QuotaWrite[],
  writes: Writes,
  quota: QuotaCount,
): Promise<readonly QuotaResult[]> {
  const results: QuotaResult[] = [];
  while (results.length < batch.length) {
    const rest = batch.slice(results.length);
    const end = rest.findIndex(({ kind }) => kind !== 'create');
    const rows = rest.slice(0, end < 0 ? undefined : end).flatMap((one) => (one.kind === 'create' ? [one.row] : []));
    const [next] = rest;
    if (rows.length > 0) results.push(...(await createFitting(query, rows, writes, quota)));
    else if (next !== undefined && next.kind !== 'create')
      results.push(await changeFitting(query, next, writes, quota));
  }
  return results;
}

/**
 * Creates the plants that fit, in their order. A plant that exists adds nothing, so it fits. No other session creates
 * plants of the store meanwhile.
 */
async function createFitting(
  query: Query,
  rows: readonly PlantRow[],
  writes: Writes,
  quota: QuotaCount,
): Promise<readonly (Created | Full)[]> {
  const known = new Set((await query(SELECT_IDS, [rows[0]?.store, rows.map(({ id }) => id)])).map(([id]) => id));
  const refused = rows.map((row) => {
    const full = known.has(row.id) ? undefined : quota.add(1, plantSize(row));
    if (full === undefined) known.add(row.id);
    return full;
  });
  const fitting = rows.filter((_, i) => refused[i] === undefined);
  const created = (fitting.length === 0 ? [] : await createAll(query, fitting, writes)).values();
  return refused.map((full) => full ?? (created.next().value as Created));
}

async function changeFitting(query: Query, write: Change, writes: Writes, quota: QuotaCount): Promise<Changed | Full> {
  const { store, condition = {} } = write;
  const id = write.kind === 'replace' ? write.row.id : write.id;
  const [there] = (await query(SELECT_PLANT, [store, id])) as readonly (readonly [bigint, string, string | null])[];
  if (there === undefined) return 'absent';
  const [version, name, tag] = there;
  if (!isMet(condition, version)) return 'stale';
  const size = plantSize({ name, tag });
  if (write.kind === 'delete') {
    quota.add(-1, -size);
    await writes.delete(query, [store, id, [version], null]);
    return 'deleted';
  }
  const full = quota.add(0, plantSize(write.row) - size);
  if (full !== undefined) return full;
  await writes.replace(query, [store, id, [version], null, write.row.name, write.row.tag, write.row.digest]);
  return version + 1n;
}
