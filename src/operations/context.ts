/** Owns what a handler may reach: the caller's store and the plants, and nothing of HTTP or SQL. */
import type { Cursors } from '../plants/cursor.ts';
import type { StoreName } from '../plants/plant.ts';
import type { PlantStore } from '../plants/plant-store.ts';

export interface Context {
  /** The store that the credential belongs to. */
  readonly store: StoreName;
  readonly plants: PlantStore;
  readonly cursors: Cursors;
  /** What addresses begin with: the base URL, or nothing, which makes them relative. */
  readonly base: string;
}
