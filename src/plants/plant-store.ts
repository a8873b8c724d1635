/** What every engine promises about plants: order, visibility, idempotency, failures. */
import type { PlantId, StoredPlant, StoreName, VersionedPlant } from './plant.ts';

/** The versions that a conditional write accepts; `undefined` accepts whatever is there. */
export type Precondition = readonly bigint[] | undefined;

interface Page {
  /** Only plants with ids above this one. */
  readonly after?: PlantId | undefined;
  /** Only plants with exactly this tag. */
  readonly tag?: string | undefined;
  /** How many plants at the most, 1 or more. */
  readonly limit: number;
}

/** The result of a create. `same`: the plant was there with this name and tag; `taken`: with another, and is unchanged. */
export type Created = 'created' | 'same' | 'taken';

/**
 * Plants by (store, id). No store sees anything of another.
 *
 * - A write resolves only after it is on stable storage; a read never sees what a power cut could take back, and sees
 *   every write that resolved before the read began.
 * - Writes are linearizable by id. Of concurrent creates of one id exactly one wins.
 * - Every method rejects with a StoreFailure when the engine cannot serve (unreachable, overloaded, out of space);
 *   a write that rejects may have happened all the same, and may be repeated.
 */
export interface PlantStore {
  /** Stores a new plant. */
  create(store: StoreName, plant: StoredPlant): Promise<Created>;
  /**
   * Creates many plants, each by the rules of `create`; the results are in their order. Cheapest when sorted by id. When it
   * rejects, some may be stored.
   */
  createMany(store: StoreName, plants: readonly StoredPlant[]): Promise<readonly Created[]>;
  get(store: StoreName, id: PlantId): Promise<VersionedPlant | undefined>;
  /** Ascending by id over the whole int64 range; the cost depends on `limit` alone. */
  list(store: StoreName, page: Page): Promise<readonly StoredPlant[]>;
  /** Replaces name and tag. `absent`: no such plant; `stale`: its version is not among the expected. */
  replace(store: StoreName, plant: StoredPlant, expected: Precondition): Promise<VersionedPlant | 'absent' | 'stale'>;
  delete(store: StoreName, id: PlantId, expected: Precondition): Promise<'deleted' | 'absent' | 'stale'>;
  /** How many plants a store has, counted up to `most`: the cost depends on that alone. */
  count(store: StoreName, most: number): Promise<number>;
  /** Removes up to `most` plants of a store that nobody uses any more; resolves to how many there were. */
  clear(store: StoreName, most: number): Promise<number>;
  /** Every plant of a store as it was at one moment, ascending by id, in arrays of bounded length. */
  snapshot(store: StoreName): AsyncIterable<readonly StoredPlant[]>;
}
