/** Replaces all plants of a store with a quota, takes snapshots, and removes a store. */
import type { DatabaseSync } from 'node:sqlite';
import type { SnapshotTerms } from '../../plants/plant-store.ts';
import type { QuotaCount } from '../quota-count.ts';

/** Plants as a JSON array, with what they count in the quota; or the number of a snapshot. */
export type PlantSource = { readonly json: string; readonly plants: number; readonly bytes: number } | number;

export interface Replacement {
  readonly store: string;
  /** The store's number in `plants`. */
  readonly number: number;
  readonly plants: PlantSource;
  /** The version of all plants. */
  readonly version: bigint;
}

/** Each function must be called in a transaction, with what the store holds. */
export interface ReplaceAll {
  /** Must not be called for a removed store. */
  replaceAll(replacement: Replacement, quota: QuotaCount): void;
  /** Returns false if it took no snapshot. */
  takeSnapshot(store: string, terms: SnapshotTerms, quota: QuotaCount | undefined): boolean;
  /** Must be called after the quota of the store was removed. */
  removeStore(store: string): void;
}

const REMOVE = 'DELETE FROM plants WHERE store = ?';
const INSERT = `
  INSERT INTO plants (store, id, name, tag, version)
  SELECT ?1, value ->> 'id', value ->> 'name', value ->> 'tag', ?2
  FROM json_each(?3)`;
const RESTORE = `
  INSERT INTO plants (store, id, name, tag, version)
  SELECT ?1, value ->> 'id', value ->> 'name', value ->> 'tag', ?2
  FROM snapshots, json_each(snapshots.plants)
  WHERE snapshots.store = ?3 AND snapshots.number = ?4`;
const SELECT_AMOUNT = 'SELECT plant_count, plant_bytes FROM snapshots WHERE store = ? AND number = ?';

const SAVE = `
  INSERT INTO snapshots (store, number, at, plant_count, plant_bytes, plants)
  SELECT ?1, ?2, ?3, ?4, ?5, taken.plants
  FROM (
    SELECT json_group_array(json_object('id', id, 'name', name, 'tag', tag) ORDER BY id) AS plants
    FROM plants WHERE store = (SELECT number FROM stores WHERE name = ?1)
  ) AS taken
  WHERE octet_length(taken.plants) <= ?6
  ON CONFLICT DO NOTHING`;

const REMOVE_STORE = [
  'DELETE FROM plants WHERE store = (SELECT number FROM stores WHERE name = ?1)',
  'DELETE FROM events WHERE store = ?1',
  'DELETE FROM event_counts WHERE store = ?1',
  'DELETE FROM snapshots WHERE store = ?1',
  'DELETE FROM webhooks WHERE store = ?1',
  'DELETE FROM stores WHERE name = ?1',
];

export function createReplaceAll(database: DatabaseSync): ReplaceAll {
  const remove = database.prepare(REMOVE);
  const insert = database.prepare(INSERT);
  const restore = database.prepare(RESTORE);
  const selectAmount = database.prepare(SELECT_AMOUNT);
  const save = database.prepare(SAVE);
  const removeStore = REMOVE_STORE.map((sql) => database.prepare(sql));
  selectAmount.setReturnArrays(true);

  const amountIn = (store: string, number: number) => {
    const [plants, bytes] = (selectAmount.get(store, number) ?? [0, 0]) as unknown as readonly [number, number];
    return { plants, bytes };
  };

  return {
    replaceAll({ store, number, plants, version }, quota) {
      remove.run(number);
      if (typeof plants === 'number') restore.run(number, version, store, plants);
      else insert.run(number, version, plants.json);
      const amount = typeof plants === 'number' ? amountIn(store, plants) : plants;
      quota.count(amount.plants - quota.plants, amount.bytes - quota.bytes);
    },
    takeSnapshot(store, { number, at, mostBytes }, quota) {
      if (quota === undefined || quota.isGone) return false;
      return save.run(store, number, at, quota.plants, quota.bytes, mostBytes).changes > 0;
    },
    removeStore(store) {
      for (const statement of removeStore) statement.run(store);
    },
  };
}
