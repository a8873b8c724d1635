/**
 * Replaces all plants of a store with a quota, takes snapshots, and removes a store. The row of the quota is locked, so
 * no other write of the store runs meanwhile.
 */
import type { SnapshotTerms } from '../../plants/plant-store.ts';
import { writePlants } from '../../plants/plants-json.ts';
import { amountOf } from '../plant-size.ts';
import { DELETE_QUOTA, type QuotaCount } from '../quota-count.ts';
import { withQuota } from './quota-writes.ts';
import type { Query } from './session.ts';
import type { PlantRow } from './writes.ts';

export type SavedPlant = Pick<PlantRow, 'id' | 'name' | 'tag' | 'digest'>;

export interface Replacement {
  readonly store: string;
  /** The plants, or the number of a snapshot. */
  readonly plants: readonly SavedPlant[] | number;
  /** The version of all plants. */
  readonly version: bigint;
  readonly withEvent: boolean;
}

/** How plants are inserted and saved, which differs on Citus. Both run in the transaction of the quota. */
export interface Copying {
  /** Inserts the plants of a replacement into the empty store. */
  insert(query: Query, replacement: Replacement): Promise<void>;
  /** Saves all plants of a store. Resolves to false if it saved nothing. */
  save(query: Query, store: string, terms: SnapshotTerms, quota: QuotaCount): Promise<boolean>;
}

const REMOVE = 'DELETE FROM plants WHERE store = $1';
const INSERT = `
  INSERT INTO plants (store, id, name, tag, tag_digest, version)
  SELECT $1, id, name, tag, digest, $2
  FROM jsonb_to_recordset(CAST($3 AS jsonb)) AS plant (id int8, name text, tag text, digest int8)`;
const RESTORE = `
  INSERT INTO plants (store, id, name, tag, tag_digest, version)
  SELECT $1, plant.id, plant.name, plant.tag, plant.digest, $2
  FROM snapshots,
    jsonb_to_recordset(CAST(snapshots.plants AS jsonb)) AS plant (id int8, name text, tag text, digest int8)
  WHERE snapshots.store = $1 AND snapshots.number = $3`;
const SELECT_AMOUNT = 'SELECT plant_count, plant_bytes FROM snapshots WHERE store = $1 AND number = $2';
const SAVE = `
  INSERT INTO snapshots (store, number, at, plant_count, plant_bytes, plants)
  SELECT $1, $2, $3, $4, $5, taken.plants
  FROM (
    SELECT CAST(coalesce(
      jsonb_agg(jsonb_build_object('id', id, 'name', name, 'tag', tag, 'digest', tag_digest) ORDER BY id), '[]'
    ) AS text) AS plants
    FROM plants WHERE store = $1
  ) AS taken
  WHERE octet_length(taken.plants) <= $6
  ON CONFLICT DO NOTHING RETURNING number`;

export const copying: Copying = {
  async insert(query, { store, plants, version }) {
    if (typeof plants === 'number') await query(RESTORE, [store, version, plants]);
    else await query(INSERT, [store, version, writePlants(plants)]);
  },
  async save(query, store, { number, at, mostBytes }, { plants, bytes }) {
    return (await query(SAVE, [store, number, at, plants, bytes, mostBytes])).length > 0;
  },
};

const COUNT_EVENT = `
  INSERT INTO event_counts AS counts (store, last) VALUES ($1, 1)
  ON CONFLICT (store) DO UPDATE SET last = counts.last + 1
  RETURNING last`;
const WRITE_EVENT = `
  INSERT INTO events (store, number, at, kind)
  VALUES ($1, $2, CAST(extract(epoch FROM clock_timestamp()) * 1000 AS int8), 'reset')`;

export function replaceAll(query: Query, replacement: Replacement, { insert }: Copying): Promise<void> {
  const { store, plants, withEvent } = replacement;
  return withQuota(query, store, withEvent, async (quota) => {
    if (quota.isGone) return;
    await query(REMOVE, [store]);
    await insert(query, replacement);
    const amount = typeof plants === 'number' ? await amountIn(query, store, plants) : amountOf(plants);
    quota.count(amount.plants - quota.plants, amount.bytes - quota.bytes);
    if (!withEvent) return;
    const [[number] = []] = await query(COUNT_EVENT, [store]);
    await query(WRITE_EVENT, [store, number]);
  });
}

async function amountIn(query: Query, store: string, number: number) {
  const [[plants = 0, bytes = 0] = []] = await query(SELECT_AMOUNT, [store, number]);
  return { plants: Number(plants), bytes: Number(bytes) };
}

/** Resolves to false if it took no snapshot. */
export function takeSnapshot(query: Query, store: string, terms: SnapshotTerms, { save }: Copying): Promise<boolean> {
  return withQuota(query, store, false, async (quota) => !quota.isGone && save(query, store, terms, quota));
}

/** The quota is first, so that a late write stores nothing. */
const REMOVE_STORE = [
  DELETE_QUOTA,
  REMOVE,
  'DELETE FROM events WHERE store = $1',
  'DELETE FROM event_counts WHERE store = $1',
  'DELETE FROM snapshots WHERE store = $1',
  'DELETE FROM webhooks WHERE store = $1',
];

/** Nobody uses the store, and a part that stays is removed by the next call. So this needs no transaction. */
export async function removeStore(query: Query, store: string): Promise<void> {
  for (const sql of REMOVE_STORE) await query(sql, [store]);
}
