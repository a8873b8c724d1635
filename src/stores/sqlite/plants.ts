/** Owns plants in the embedded engine: reads on a connection of the caller's thread, writes through the commit queue. */
import type { DatabaseSync } from 'node:sqlite';
import { INT64_MAX, INT64_MIN } from '../../contract/integer.ts';
import { firstVersion, type StoredPlant, type VersionedPlant } from '../../plants/plant.ts';
import type { Created, PlantStore } from '../../plants/plant-store.ts';
import type { CommitQueue } from './commit-queue.ts';
import { damaged, translate } from './failures.ts';
import { createSnapshot } from './snapshot.ts';
import type { Write } from './writes.ts';

/** Columns of a plant as they are read: id, name, tag, and its version where that was asked for. */
type Row = readonly unknown[];

/** The PlantStore on a file. Readers see a commit only once SQLite has synced it (WAL, synchronous = FULL). */
export function sqlitePlants(reader: DatabaseSync, queue: CommitQueue, random: () => number): PlantStore {
  const snapshot = createSnapshot(reader);
  const numbers = new Map<string, bigint>();
  const selectStore = reader.prepare('SELECT number FROM stores WHERE name = ?');
  const selectOne = reader.prepare('SELECT id, name, tag, version FROM plants WHERE store = ? AND id = ?');
  // `+ 0`: after every binding of a LIMIT that is a parameter alone SQLite plans the statement anew, for 3 to 8 µs.
  const page = 'AND id >= ? ORDER BY id LIMIT ? + 0';
  const selectPage = reader.prepare(`SELECT id, name, tag FROM plants WHERE store = ? ${page}`);
  const selectTagged = reader.prepare(
    `SELECT id, name, tag FROM plants INDEXED BY plants_by_tag WHERE store = ? AND tag = ? ${page}`,
  );
  // Another number after every commit of another connection, and this one never writes
  // (https://sqlite.org/pragma.html#pragma_data_version).
  const selectRevision = reader.prepare('PRAGMA data_version');
  for (const statement of [selectStore, selectOne, selectPage, selectTagged]) statement.setReadBigInts(true);
  // Rows as arrays: reading a list of 100 plants takes a third less time than with an object for each.
  for (const statement of [selectOne, selectPage, selectTagged, selectRevision]) statement.setReturnArrays(true);

  const numberOf = (store: string): bigint | undefined => {
    const known = numbers.get(store);
    if (known !== undefined) return known;
    const number = selectStore.get(store)?.['number'];
    if (typeof number !== 'bigint') return undefined;
    numbers.set(store, number);
    return number;
  };
  const readNow = <T>(work: () => T): T => {
    try {
      return snapshot.read(work);
    } catch (error) {
      throw translate(error);
    }
  };
  const read = async <T>(work: () => T): Promise<T> => readNow(work);
  const commit = async (write: Write) => {
    const outcome = await queue.commit(write);
    snapshot.renew();
    return outcome;
  };

  return {
    async create(store, { id, name, tag }) {
      const version = firstVersion(random);
      return (await commit(['create', store, id, name, tag ?? null, version])) as Created;
    },
    get: (store, id) =>
      read(() => {
        const number = numberOf(store);
        const row = number === undefined ? undefined : (selectOne.get(number, id) as unknown as Row | undefined);
        return row && versioned(row);
      }),
    list: (store, { after, tag, limit }) =>
      read(() => {
        const number = numberOf(store);
        // Nothing is above the highest id, and one more than it would be no int64.
        if (number === undefined || after === INT64_MAX) return [];
        const from = after === undefined ? INT64_MIN : after + 1n;
        const rows =
          tag === undefined ? selectPage.all(number, from, limit) : selectTagged.all(number, tag, from, limit);
        return (rows as unknown as readonly Row[]).map(stored);
      }),
    async replace(store, plant, expected) {
      const outcome = await commit(['replace', store, plant.id, plant.name, plant.tag ?? null, expected]);
      return typeof outcome === 'bigint' ? { ...plant, version: outcome } : (outcome as 'absent' | 'stale');
    },
    async delete(store, id, expected) {
      return (await commit(['delete', store, id, expected])) as 'deleted' | 'absent' | 'stale';
    },
    revision: () => readNow(() => (selectRevision.get() as unknown as readonly [number])[0]),
  };
}

/** STRICT holds for what is written: where the file is damaged a column may be read as anything. */
export function stored([id, name, tag]: Row): StoredPlant {
  if (typeof id !== 'bigint' || typeof name !== 'string') throw damaged();
  if (tag === null) return { id, name };
  if (typeof tag !== 'string') throw damaged();
  return { id, name, tag };
}

function versioned(row: Row): VersionedPlant {
  const version = row[3];
  if (typeof version !== 'bigint') throw damaged();
  return { ...stored(row), version };
}
