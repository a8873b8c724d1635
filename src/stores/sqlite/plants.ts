/**
 * The PlantStore on a file. Reads use a connection of this thread. Writes go through the batcher to the writer's
 * thread.
 */
import type { DatabaseSync } from 'node:sqlite';
import { INT64_MAX, INT64_MIN } from '../../contract/schema.ts';
import { firstVersion, type StoredPlant, type VersionedPlant } from '../../plants/plant.ts';
import type { Created, PlantStore } from '../../plants/plant-store.ts';
import { writePlants } from '../../plants/plants-json.ts';
import { eventOf } from '../event-rows.ts';
import { amountOf } from '../plant-size.ts';
import { type Full, throwIfFull } from '../quota-count.ts';
import { checkContent, explainFileErrors, openToRead } from './database.ts';
import { damagedFailure, translate, translateErrors } from './failures.ts';
import type { Result, Write } from './writes.ts';

const READ_ALL_PIECE = 1_000;

const SELECT = `SELECT id, name, tag, version FROM plants
    WHERE store = (SELECT number FROM stores WHERE name = ?) AND id = ?`;
/**
 * Passes each plant of a page to the function `keep`. That takes a third less time than returning the plants as rows,
 * because SQLite locks a mutex for each column that it returns.
 *
 * Without `+ 0`, SQLite would plan a statement again after every binding of LIMIT, which takes 3 to 8 µs.
 */
const PAGE = `SELECT count(kept) FROM (SELECT keep(id, name, tag) AS kept FROM plants
    WHERE store = (SELECT number FROM stores WHERE name = ?) AND id >= ? ORDER BY id LIMIT ? + 0)`;
const TAGGED_PAGE = `SELECT count(kept) FROM (SELECT keep(id, name, tag) AS kept FROM plants INDEXED BY plants_by_tag
    WHERE store = (SELECT number FROM stores WHERE name = ?) AND tag = ? AND id >= ? ORDER BY id LIMIT ? + 0)`;
const ALL = `SELECT id, name, tag FROM plants
    WHERE store = (SELECT number FROM stores WHERE name = ?) ORDER BY id`;
const NEWEST = 'SELECT store, last FROM event_counts WHERE store IN (SELECT value FROM json_each(?))';
const EVENTS = `SELECT number, at, kind, id, name, tag, previous_name, previous_tag FROM events
    WHERE store = ? AND number > ? ORDER BY number LIMIT ? + 0`;

/** The columns id, name, tag and, if selected, version. */
type Row = readonly unknown[];

/** Readers see a commit only after SQLite has synced it (WAL, synchronous = FULL). */
export function sqlitePlants(
  path: string,
  database: DatabaseSync,
  enqueue: (write: Write) => Promise<Result>,
  random: () => number,
): PlantStore {
  let page: StoredPlant[] = [];
  database.function('keep', { directOnly: true, useBigIntArguments: true }, (id, name, tag) => {
    page.push(plantOf([id, name, tag]));
    return null;
  });
  const selectOne = database.prepare(SELECT);
  const selectPage = database.prepare(PAGE);
  const selectTagged = database.prepare(TAGGED_PAGE);
  const selectEvents = database.prepare(EVENTS);
  const selectNewest = database.prepare(NEWEST);
  for (const statement of [selectOne, selectEvents, selectNewest]) {
    statement.setReadBigInts(true);
    statement.setReturnArrays(true);
  }

  return {
    async create(store, { id, name, tag }) {
      const version = firstVersion(random);
      const created = (await enqueue(['create', store, id, name, tag ?? null, version])) as Created | Full;
      // Only a full store passes another file (way-of-a-request.test.ts).
      return typeof created === 'string' ? created : throwIfFull<never>(created);
    },
    // All plants get the same version, since a version distinguishes only the contents of one plant.
    async createMany(store, plants) {
      const results = await enqueue(['createMany', store, plants, firstVersion(random)]);
      return (results as readonly (Created | Full)[]).map(throwIfFull);
    },
    get: (store, id) =>
      translateErrors(() => {
        const row = selectOne.get(store, id) as unknown as Row | undefined;
        return row && versionedPlantOf(row);
      }),
    list: (store, { after, tag, limit }) =>
      translateErrors(() => {
        // No id is higher, and the next number is not an int64.
        if (after === INT64_MAX) return [];
        const from = after === undefined ? INT64_MIN : after + 1n;
        page = [];
        if (tag === undefined) selectPage.get(store, from, limit);
        else selectTagged.get(store, tag, from, limit);
        return page;
      }),
    async replace(store, plant, condition) {
      const written = await enqueue(['replace', store, plant.id, plant.name, plant.tag ?? null, condition]);
      const result = throwIfFull(written as bigint | 'absent' | 'stale' | Full);
      return typeof result === 'bigint' ? { ...plant, version: result } : result;
    },
    async delete(store, id, condition) {
      return (await enqueue(['delete', store, id, condition])) as 'deleted' | 'absent' | 'stale';
    },
    async replaceAll(store, plants) {
      const source = typeof plants === 'number' ? plants : { json: writePlants(plants), ...amountOf(plants) };
      await enqueue(['replaceAll', store, source, firstVersion(random)]);
    },
    takeSnapshot: async (store, terms) => (await enqueue(['takeSnapshot', store, terms])) as boolean,
    remove: async (store) => void (await enqueue(['remove', store])),
    events: (store, after, limit) =>
      translateErrors(() => (selectEvents.all(store, after, limit) as unknown as readonly Row[]).map(eventOf)),
    newestEvents: (stores) =>
      translateErrors(
        () => new Map(selectNewest.all(JSON.stringify(stores)) as unknown as readonly [string, bigint][]),
      ),
    readAll: (store) => readAll(path, store),
  };
}

/** Reads with one statement, which sees no later commit (https://sqlite.org/isolation.html). */
async function* readAll(path: string, store: string): AsyncGenerator<readonly StoredPlant[]> {
  explainFileErrors(path, () => checkContent(path));
  using database = openToRead(path);
  try {
    const select = database.prepare(ALL);
    select.setReadBigInts(true);
    select.setReturnArrays(true);
    let piece: StoredPlant[] = [];
    for (const row of select.iterate(store)) {
      piece.push(plantOf(row as unknown as Row));
      if (piece.length < READ_ALL_PIECE) continue;
      yield piece;
      piece = [];
    }
    if (piece.length > 0) yield piece;
  } catch (error) {
    throw translate(error);
  }
}

/** STRICT only checks writes. In a damaged file a column may contain a value of any type. */
function plantOf([id, name, tag]: Row): StoredPlant {
  if (typeof id !== 'bigint' || typeof name !== 'string') throw damagedFailure();
  if (tag === null) return { id, name };
  if (typeof tag !== 'string') throw damagedFailure();
  return { id, name, tag };
}

function versionedPlantOf(row: Row): VersionedPlant {
  const version = row[3];
  if (typeof version !== 'bigint') throw damagedFailure();
  return { ...plantOf(row), version };
}
