/** Owns plants in the shared engine: reads one by one, creates through the commit queue, other writes as they come. */
import { hash } from 'node:crypto';
import { LruCache } from '../../lru-cache.ts';
import { firstVersion, type StoredPlant } from '../../plants/plant.ts';
import type { PlantStore } from '../../plants/plant-store.ts';
import type { EngineOptions } from '../engine.ts';
import type { CommitQueue } from './commit-queue.ts';
import type { Row, Statement } from './connection.ts';
import type { Query, Runner } from './runner.ts';
import { createAll, deleteOne, type PlantRow, replaceOne } from './writes.ts';

const SELECT: Statement = {
  name: 'plant-select',
  text: 'SELECT id, name, tag, version FROM plants WHERE store = $1 AND id = $2',
};
const PAGE: Statement = {
  name: 'plant-page',
  text: 'SELECT id, name, tag FROM plants WHERE store = $1 AND id > $2 ORDER BY id LIMIT $3',
};
const FIRST_PAGE: Statement = {
  name: 'plant-first-page',
  text: 'SELECT id, name, tag FROM plants WHERE store = $1 ORDER BY id LIMIT $2',
};
/**
 * The comparison of pairs and the order by both leave the index by tag as the only cheap way: with an equation instead,
 * a planner may walk all of the store for the few plants of a rare tag.
 */
const TAGGED_PAGE: Statement = {
  name: 'plant-tagged-page',
  text: `SELECT id, name, tag FROM plants
    WHERE store = $1 AND (tag_digest, id) > ($2, $3) AND tag_digest <= $2 AND tag = $4
    ORDER BY tag_digest, id LIMIT $5`,
};
const FIRST_TAGGED_PAGE: Statement = {
  name: 'plant-first-tagged-page',
  text: `SELECT id, name, tag FROM plants
    WHERE store = $1 AND tag_digest >= $2 AND tag_digest <= $2 AND tag = $3
    ORDER BY tag_digest, id LIMIT $4`,
};

/** How many digests are kept: of tags as long as may be, some 4 MB. */
const RECENT_TAGS = 1_000;

/** The PlantStore on a server. A server shows a commit to others only once it is durable. */
export function postgresPlants(
  runner: Runner,
  queue: CommitQueue,
  random: () => number,
  onCommit: EngineOptions['onCommit'],
): Omit<PlantStore, 'snapshot'> {
  /** A write that is a commit of its own. */
  const alone = async <T>(work: (query: Query) => Promise<T>): Promise<T> => {
    let began = 0;
    const outcome = await runner.write((query) => {
      began = performance.now();
      return work(query);
    });
    onCommit?.(1, (performance.now() - began) / 1_000);
    return outcome;
  };
  return {
    create: (store, plant) => queue.create(rowOf(store, plant, firstVersion(random))),
    async createMany(store, plants) {
      const rows = plants.map((plant) => rowOf(store, plant, firstVersion(random)));
      return runner.write((query) => createAll(query, rows));
    },
    async get(store, id) {
      const [row] = (await runner.read(SELECT, [store, id])).rows;
      return row && { ...stored(row), version: row[3] as bigint };
    },
    async list(store, { after, tag, limit }) {
      if (tag === undefined) return readPage(runner.read, store, after, limit);
      const { rows } = await (after === undefined
        ? runner.read(FIRST_TAGGED_PAGE, [store, digestOf(tag), tag, limit])
        : runner.read(TAGGED_PAGE, [store, digestOf(tag), after, tag, limit]));
      return rows.map(stored);
    },
    async replace(store, plant, expected) {
      const outcome = await alone((query) => replaceOne(query, rowOf(store, plant, 0n), expected));
      return typeof outcome === 'bigint' ? { ...plant, version: outcome } : outcome;
    },
    delete: (store, id, expected) => alone((query) => deleteOne(query, store, id, expected)),
  };
}

/** Up to `limit` plants of a store above an id, ascending. */
export async function readPage(
  query: Query,
  store: string,
  after: bigint | undefined,
  limit: number,
): Promise<readonly StoredPlant[]> {
  const { rows } = await (after === undefined ? query(FIRST_PAGE, [store, limit]) : query(PAGE, [store, after, limit]));
  return rows.map(stored);
}

export function rowOf(store: string, { id, name, tag }: StoredPlant, version: bigint): PlantRow {
  return { store, id, name, tag: tag ?? null, digest: tag === undefined ? null : digestOf(tag), version };
}

/** Most plants have a tag that others have: to digest it again takes some 5 % of a create's CPU. */
const digests = new LruCache<bigint>(RECENT_TAGS);

/** The first 64 bits of a tag's SHA-256. Tags that share them are told apart by the tag itself. */
function digestOf(tag: string): bigint {
  const known = digests.get(tag);
  if (known !== undefined) return known;
  const digest = hash('sha256', tag, 'buffer').readBigInt64BE();
  digests.set(tag, digest);
  return digest;
}

function stored([id, name, tag]: Row): StoredPlant {
  const plant = { id: id as bigint, name: name as string };
  return tag === null ? plant : { ...plant, tag: tag as string };
}
