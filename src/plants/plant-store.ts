/**
 * The interface for plants, and what every engine guarantees: order, visibility, idempotency and failures. A *store*
 * is the plants of one tenant, under a name. An *engine* keeps all stores of a database. Messages about failures call
 * the database "the store".
 */
import type { PlantEvent } from './event.ts';
import type { PlantId, StoredPlant, StoreName, VersionedPlant } from './plant.ts';

/** The current versions for which a conditional write acts. The empty condition holds for every version. */
export interface Precondition {
  /** Only these versions (If-Match). */
  readonly only?: readonly bigint[] | undefined;
  /** All versions but these (If-None-Match). */
  readonly except?: readonly bigint[] | 'every' | undefined;
}

export function isMet({ only, except = [] }: Precondition, version: bigint): boolean {
  return (only === undefined || only.includes(version)) && except !== 'every' && !except.includes(version);
}

export interface ListQuery {
  /** Only plants with ids above this one. */
  readonly after?: PlantId | undefined;
  /** Only plants with exactly this tag. */
  readonly tag?: string | undefined;
  /** The most plants of the page, 1 or more. */
  readonly limit: number;
}

export interface SnapshotTerms {
  readonly number: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The most bytes of its JSON. */
  readonly mostBytes: number;
}

/** `same`: the plant existed with this name and tag. `taken`: it existed with another name or tag, and is unchanged. */
export type Created = 'created' | 'same' | 'taken';

/** The write would exceed the quota of its store. It changed nothing. */
export class QuotaExceeded extends Error {
  override readonly name = 'QuotaExceeded';
  readonly limited: 'plants' | 'bytes';
  readonly most: number;

  constructor(limited: 'plants' | 'bytes', most: number) {
    super(`the store may hold ${most} ${limited}`);
    this.limited = limited;
    this.most = most;
  }
}

/**
 * Plants by store and id. No store can see the plants of another store.
 *
 * - A write resolves only after it is on stable storage. A read sees every write that resolved before the read began,
 *   and never sees a write that a power cut could undo.
 * - Writes are linearizable by id. If several calls create the same id at the same time, exactly one wins.
 * - A create or a replacement that would exceed the quota of its store rejects with QuotaExceeded. This is exact for
 *   any number of processes. A create of a plant that exists resolves to `same` or `taken` in a full store too. Only
 *   `replaceAll` may exceed a quota.
 * - Every method rejects with a StoreFailure if the engine cannot serve (unreachable, overloaded, out of space). A
 *   write that rejects may still have been stored, and may be repeated.
 */
export interface PlantStore {
  create(store: StoreName, plant: StoredPlant): Promise<Created>;
  /**
   * Creates many plants by the rules of `create`, fastest if sorted by id. If it rejects, some plants may be stored.
   */
  createMany(store: StoreName, plants: readonly StoredPlant[]): Promise<readonly Created[]>;
  get(store: StoreName, id: PlantId): Promise<VersionedPlant | undefined>;
  /** Lists plants ascending by id over the whole int64 range. The cost depends only on `limit`. */
  list(store: StoreName, query: ListQuery): Promise<readonly StoredPlant[]>;
  /**
   * Replaces name and tag. `absent`: there is no such plant. `stale`: `condition` does not hold for its version. The
   * transaction of the write decides this.
   */
  replace(store: StoreName, plant: StoredPlant, condition?: Precondition): Promise<VersionedPlant | 'absent' | 'stale'>;
  delete(store: StoreName, id: PlantId, condition?: Precondition): Promise<'deleted' | 'absent' | 'stale'>;
  /**
   * Replaces all plants of a store with a quota in one step: by these plants, or by the plants of a snapshot, which the
   * number names. A snapshot that does not exist has no plants. The quota counts the plants, but refuses none. Every
   * plant gets a new version. While events are on, this makes one event (`reset`), which has the next number of the
   * store's sequence. Does nothing to a removed store.
   */
  replaceAll(store: StoreName, plants: readonly StoredPlant[] | number): Promise<void>;
  /**
   * Saves all plants of a store with a quota as of one moment. Resolves to false, and saves nothing, if the snapshot
   * exists or would be too large.
   */
  takeSnapshot(store: StoreName, terms: SnapshotTerms): Promise<boolean>;
  /**
   * Removes a store with a quota: its plants, events, snapshots and webhooks. Later writes store nothing. If it
   * rejects, a part may be removed.
   */
  remove(store: StoreName): Promise<void>;
  /**
   * The events after a place of the store's sequence, ascending. While events are on, every write makes its events in
   * its own transaction, and they become visible together with it.
   */
  events(store: StoreName, after: bigint, limit: number): Promise<readonly PlantEvent[]>;
  /** The place of the newest event of each of the stores that has had one. */
  newestEvents(stores: readonly StoreName[]): Promise<ReadonlyMap<StoreName, bigint>>;
  /** Reads every plant of a store as of one moment, ascending by id, in arrays of limited length. */
  readAll(store: StoreName): AsyncIterable<readonly StoredPlant[]>;
}
