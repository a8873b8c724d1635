/**
 * Decides whether a write fits into the quota of its store, and counts what the store then holds. Both engines use it
 * within one transaction.
 */
import { QuotaExceeded } from '../plants/plant-store.ts';

/** Selects the row of a store ($1). */
export const SELECT_QUOTA = `SELECT plants, bytes, most_plants, most_bytes, most_events FROM quotas WHERE store = $1`;
export const UPDATE_QUOTA = 'UPDATE quotas SET plants = $2, bytes = $3 WHERE store = $1';
export const DELETE_QUOTA = 'DELETE FROM quotas WHERE store = $1';
/** Deletes the events of a store ($1) beyond the number ($2) that it keeps. */
export const TRIM_EVENTS = `DELETE FROM events
    WHERE store = $1 AND number <= (SELECT last FROM event_counts WHERE store = $1) - $2`;

/** The result of a write that would exceed the quota. */
export interface Full {
  readonly full: 'plants' | 'bytes';
  readonly most: number;
}

export class QuotaCount {
  plants: number;
  bytes: number;
  readonly mostPlants: number;
  /** The most bytes that the plants take (`plantSize`). */
  readonly mostBytes: number;
  /** How many events are kept. Older events are deleted. */
  readonly mostEvents: number;
  /** Whether the store was removed. */
  readonly isGone: boolean;
  readonly #before: readonly [plants: number, bytes: number];

  /** `row`: as SELECT_QUOTA returns it. Without a row the store is gone, and nothing fits. */
  constructor(row?: readonly unknown[]) {
    const [plants = 0, bytes = 0, mostPlants = 0, mostBytes = 0, mostEvents = 0] = row?.map(Number) ?? [];
    this.isGone = row === undefined;
    this.plants = plants;
    this.bytes = bytes;
    this.mostPlants = mostPlants;
    this.mostBytes = mostBytes;
    this.mostEvents = mostEvents;
    this.#before = [plants, bytes];
  }

  get isChanged(): boolean {
    return this.plants !== this.#before[0] || this.bytes !== this.#before[1];
  }

  /** Counts plants and their bytes. Both are negative for removed plants. If they do not fit, counts nothing. */
  add(plants: number, bytes: number): Full | undefined {
    if (plants > 0 && this.plants + plants > this.mostPlants) return { full: 'plants', most: this.mostPlants };
    if (bytes > 0 && this.bytes + bytes > this.mostBytes) return { full: 'bytes', most: this.mostBytes };
    this.count(plants, bytes);
    return undefined;
  }

  /** Counts plants and their bytes, also beyond the quota. */
  count(plants: number, bytes: number): void {
    this.plants += plants;
    this.bytes += bytes;
  }
}

/** Returns the result of a write. Throws QuotaExceeded if the write did not fit. */
export function throwIfFull<Result extends string | bigint>(result: Result | Full): Result {
  if (typeof result === 'object') throw new QuotaExceeded(result.full, result.most);
  return result;
}
