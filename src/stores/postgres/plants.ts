/** The PlantStore on a server. Creations share batches. Every other call is its own statement. */
import { hash } from 'node:crypto';
import { INT64_MAX, INT64_MIN } from '../../contract/schema.ts';
import { firstVersion, type StoredPlant } from '../../plants/plant.ts';
import type { Created, PlantStore } from '../../plants/plant-store.ts';
import { SIZE_SQL } from '../../plants/size.ts';
import type { EngineOptions } from '../engine.ts';
import { CLEAR_EVENTS, EVENT_COLUMNS, eventOf, FORGET_COUNT } from '../event-rows.ts';
import type { Client } from './client.ts';
import { connectFirst, type Server } from './database.ts';
import { translate } from './failures.ts';
import type { Query, Row } from './session.ts';
import { deleteOne, type PlantRow, replaceOne, type Writes } from './writes.ts';

const SELECT = 'SELECT id, name, tag, version FROM plants WHERE store = $1 AND id = $2';
const PAGE = 'SELECT id, name, tag FROM plants WHERE store = $1 AND id >= $2 ORDER BY id LIMIT $3';
/**
 * Since pairs are compared and sorted, only the index by tag is cheap. With `tag_digest = $2`, a planner may read the
 * whole store for a rare tag.
 */
const TAGGED_PAGE = `SELECT id, name, tag FROM plants
    WHERE store = $1 AND (tag_digest, id) >= ($2, $3) AND tag_digest <= $2 AND tag = $4
    ORDER BY tag_digest, id LIMIT $5`;

const MEASURE = `SELECT count(*), CAST(coalesce(sum(size), 0) AS int8)
    FROM (SELECT ${SIZE_SQL} AS size FROM plants WHERE store = $1 LIMIT $2) AS measured`;
const CLEAR = `DELETE FROM plants WHERE store = $1
    AND id IN (SELECT id FROM plants WHERE store = $1 ORDER BY id LIMIT $2) RETURNING id`;

const EVENTS = `SELECT ${EVENT_COLUMNS} FROM events WHERE store = $1 AND number > $2 ORDER BY number LIMIT $3`;
const NEWEST = 'SELECT store, last FROM event_counts WHERE store = ANY(CAST($1 AS text[]))';

/** The longest that reading a page may take, in milliseconds. No client waits for it. */
const SNAPSHOT_TIMEOUT_MS = 30_000;
const SNAPSHOT_PAGE = 2_000;

interface Creates {
  one(row: PlantRow): Promise<Created>;
  many(rows: readonly PlantRow[]): Promise<readonly Created[]>;
  fill(store: string, rows: readonly PlantRow[]): Promise<void>;
}

/** A server shows a commit to other sessions only after it is durable. */
export function postgresPlants(
  server: Server,
  client: Client,
  create: Creates,
  writesWith: (withEvents: boolean) => Writes,
  random: () => number,
  onCommit: EngineOptions['onCommit'],
): PlantStore {
  /** Runs a write that shares its commit with no other. */
  const commitOne = async <T>(work: (query: Query, withEvents: boolean) => Promise<T>): Promise<T> => {
    const began = performance.now();
    const result = await client.write(work);
    onCommit?.(1, (performance.now() - began) / 1_000);
    return result;
  };
  const newRow = (store: string, plant: StoredPlant) => rowOf(store, plant, firstVersion(random));
  return {
    create: (store, plant) => create.one(newRow(store, plant)),
    createMany: (store, plants) => create.many(plants.map((plant) => newRow(store, plant))),
    fill: (store, plants) =>
      create.fill(
        store,
        plants.map((plant) => newRow(store, plant)),
      ),
    async get(store, id) {
      const [row] = await client.read(SELECT, [store, id]);
      return row && { ...plantOf(row), version: row[3] as bigint };
    },
    async list(store, { after, tag, limit }) {
      if (tag === undefined) return readPage(client.read, store, after, limit);
      if (after === INT64_MAX) return [];
      const rows = await client.read(TAGGED_PAGE, [store, digestOf(tag), idAbove(after), tag, limit]);
      return rows.map(plantOf);
    },
    async replace(store, plant, condition) {
      const result = await commitOne((query, withEvents) =>
        replaceOne(query, rowOf(store, plant, 0n), condition, writesWith(withEvents)),
      );
      return typeof result === 'bigint' ? { ...plant, version: result } : result;
    },
    delete: (store, id, condition) =>
      commitOne((query, withEvents) => deleteOne(query, store, id, condition, writesWith(withEvents))),
    async measure(store, most) {
      const [row] = await client.read(MEASURE, [store, most]);
      return { plants: Number(row?.[0]), bytes: Number(row?.[1]) };
    },
    clear: (store, most) =>
      commitOne(async (query) => {
        const plants = await query(CLEAR, [store, most]);
        const events = await query(CLEAR_EVENTS, [store, most - plants.length]);
        const removed = plants.length + events.length;
        if (removed < most) await query(FORGET_COUNT, [store]);
        return removed;
      }),
    events: async (store, after, limit) => (await client.read(EVENTS, [store, after, limit])).map(eventOf),
    async newestEvents(stores) {
      const rows = (await client.read(NEWEST, [stores])) as readonly (readonly [string, bigint])[];
      return new Map([...stores.map((store) => [store, 0n] as const), ...rows]);
    },
    snapshot: (store) => snapshot(server, store),
  };
}

/** Reads all pages as of one moment, in a REPEATABLE READ transaction on a separate connection. */
async function* snapshot(server: Server, store: string): AsyncGenerator<readonly StoredPlant[]> {
  const session = await connectFirst(server, SNAPSHOT_TIMEOUT_MS);
  const query: Query = (text, values) => session.ask(text, values);
  try {
    await query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    // The reader of an export may be slow. The server may be set to end idle or (since 17) long transactions.
    await query(`SELECT set_config(name, '0', true) FROM pg_settings
      WHERE name IN ('idle_in_transaction_session_timeout', 'transaction_timeout')`);
    let last: bigint | undefined;
    for (;;) {
      const page = await readPage(query, store, last, SNAPSHOT_PAGE);
      if (page.length === 0) return;
      yield page;
      last = page.at(-1)?.id;
    }
  } catch (error) {
    throw translate(error);
  } finally {
    await session.end();
  }
}

/** Reads up to `limit` plants of a store above an id, ascending. */
async function readPage(
  query: Query,
  store: string,
  after: bigint | undefined,
  limit: number,
): Promise<readonly StoredPlant[]> {
  if (after === INT64_MAX) return [];
  return (await query(PAGE, [store, idAbove(after), limit])).map(plantOf);
}

function idAbove(after: bigint | undefined): bigint {
  return after === undefined ? INT64_MIN : after + 1n;
}

function rowOf(store: string, { id, name, tag }: StoredPlant, version: bigint): PlantRow {
  return { store, id, name, tag: tag ?? null, digest: tag === undefined ? null : digestOf(tag), version };
}

/** Returns the first 64 bits of a tag's SHA-256. Two tags may share them, so queries also compare the tag. */
function digestOf(tag: string): bigint {
  return hash('sha256', tag, 'buffer').readBigInt64BE();
}

function plantOf([id, name, tag]: Row): StoredPlant {
  const plant = { id: id as bigint, name: name as string };
  return tag === null ? plant : { ...plant, tag: tag as string };
}
