/** The PlantStore on a server. Creations share batches, and so do all writes to a store with a quota. */
import { hash } from 'node:crypto';
import { INT64_MAX, INT64_MIN } from '../../contract/schema.ts';
import { firstVersion, hasQuota, type StoredPlant } from '../../plants/plant.ts';
import type { Created, PlantStore } from '../../plants/plant-store.ts';
import type { EngineOptions } from '../engine.ts';
import { eventOf } from '../event-rows.ts';
import { type Full, throwIfFull } from '../quota-count.ts';
import type { Client } from './client.ts';
import { connectFirst, type Server } from './database.ts';
import { translate } from './failures.ts';
import type { QuotaResult, QuotaWrite } from './quota-writes.ts';
import { type Copying, removeStore, replaceAll, takeSnapshot } from './replace-all.ts';
import type { Query, Row } from './session.ts';
import { type Change, changeOne, type PlantRow, type Writes } from './writes.ts';

const SELECT = 'SELECT id, name, tag, version FROM plants WHERE store = $1 AND id = $2';
const PAGE = 'SELECT id, name, tag FROM plants WHERE store = $1 AND id >= $2 ORDER BY id LIMIT $3';
/**
 * Since pairs are compared and sorted, only the index by tag is cheap. With `tag_digest = $2`, a planner may read the
 * whole store for a rare tag.
 */
const TAGGED_PAGE = `SELECT id, name, tag FROM plants
    WHERE store = $1 AND (tag_digest, id) >= ($2, $3) AND tag_digest <= $2 AND tag = $4
    ORDER BY tag_digest, id LIMIT $5`;

const EVENTS = `SELECT number, at, kind, id, name, tag, previous_name, previous_tag FROM events
    WHERE store = $1 AND number > $2 ORDER BY number LIMIT $3`;
const NEWEST = 'SELECT store, last FROM event_counts WHERE store = ANY(CAST($1 AS text[]))';

/** The longest that reading a page may take, in milliseconds. No client waits for it. */
const READ_ALL_TIMEOUT_MS = 30_000;
const READ_ALL_PIECE = 2_000;

/** Writes that share batches with others. */
interface Batches {
  one(row: PlantRow): Promise<Created>;
  many(rows: readonly PlantRow[]): Promise<readonly Created[]>;
  /** A write to a store with a quota. */
  limited(write: QuotaWrite): Promise<QuotaResult>;
}

interface PlantParts extends Pick<EngineOptions, 'random' | 'onCommit'> {
  readonly server: Server;
  readonly client: Client;
  readonly batches: Batches;
  readonly writesWith: (withEvents: boolean) => Writes;
  readonly copying: Copying;
}

/** A server shows a commit to other sessions only after it is durable. */
export function postgresPlants(parts: PlantParts): PlantStore {
  const { server, client, batches, writesWith, copying, random, onCommit } = parts;
  /** Runs a write that shares its commit with no other. */
  const commitOne = async <T>(work: (query: Query, withEvents: boolean) => Promise<T>): Promise<T> => {
    const began = performance.now();
    const result = await client.write(work);
    onCommit?.(1, (performance.now() - began) / 1_000);
    return result;
  };
  const newRow = (store: string, plant: StoredPlant) => rowOf(store, plant, firstVersion(random));
  const createLimited = async (row: PlantRow) =>
    throwIfFull((await batches.limited({ kind: 'create', store: row.store, row })) as Created | Full);
  const change = (write: Change) =>
    hasQuota(write.store)
      ? batches.limited(write)
      : commitOne((query, withEvents) => changeOne(query, write, writesWith(withEvents)));
  return {
    create: (store, plant) => (hasQuota(store) ? createLimited : batches.one)(newRow(store, plant)),
    createMany(store, plants) {
      const rows = plants.map((plant) => newRow(store, plant));
      return hasQuota(store) ? Promise.all(rows.map(createLimited)) : batches.many(rows);
    },
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
      const changed = await change({ kind: 'replace', store, row: rowOf(store, plant, 0n), condition });
      const result = throwIfFull(changed as bigint | 'absent' | 'stale' | Full);
      return typeof result === 'bigint' ? { ...plant, version: result } : result;
    },
    async delete(store, id, condition) {
      return (await change({ kind: 'delete', store, id, condition })) as 'deleted' | 'absent' | 'stale';
    },
    replaceAll: (store, plants) => {
      const version = firstVersion(random);
      const source = typeof plants === 'number' ? plants : plants.map((plant) => rowOf(store, plant, version));
      return commitOne((query, withEvent) => replaceAll(query, { store, plants: source, version, withEvent }, copying));
    },
    takeSnapshot: (store, terms) => commitOne((query) => takeSnapshot(query, store, terms, copying)),
    remove: (store) => commitOne((query) => removeStore(query, store)),
    events: async (store, after, limit) => (await client.read(EVENTS, [store, after, limit])).map(eventOf),
    newestEvents: async (stores) =>
      new Map((await client.read(NEWEST, [stores])) as readonly (readonly [string, bigint])[]),
    readAll: (store) => readAll(server, store),
  };
}

/** Reads all pages as of one moment, in a REPEATABLE READ transaction on a separate connection. */
async function* readAll(server: Server, store: string): AsyncGenerator<readonly StoredPlant[]> {
  const session = await connectFirst(server, READ_ALL_TIMEOUT_MS);
  const query: Query = (text, values) => session.ask(text, values);
  try {
    await query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    // The reader of an export may be slow. The server may be set to end idle or (since 17) long transactions.
    await query(`SELECT set_config(name, '0', true) FROM pg_settings
      WHERE name IN ('idle_in_transaction_session_timeout', 'transaction_timeout')`);
    let last: bigint | undefined;
    for (;;) {
      const page = await readPage(query, store, last, READ_ALL_PIECE);
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
