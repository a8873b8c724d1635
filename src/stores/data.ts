/** Owns what an engine offers the data commands: import, export, backup and check, while the service runs on. */
import type { StoreName } from '../plants/plant.ts';
import type { PlantColumns } from '../plants/plant-columns.ts';

/** How far an import has come, kept with the data under the import's own key. Only the importer reads the `state`. */
export interface Mark {
  readonly key: string;
  readonly state: string;
}

/** The key of a mark in an engine's table of keys and values, which holds other entries too. */
export function markKey(key: string): string {
  return `import:${key}`;
}

export interface BulkOutcome {
  /** Plants that were not there before. */
  readonly stored: number;
  /** Where in the columns an id was already taken by a different plant, ascending; all others are stored now. */
  readonly taken: readonly number[];
}

/** Stores many plants at once, each by the rules of `PlantStore.create`. */
export interface BulkWriter {
  mark(key: string): Promise<string | undefined>;
  /**
   * Resolves when all is on stable storage, the mark not before its plants. When it rejects some may be stored: a
   * repetition is safe. One call at a time; the columns must stay as they are until then.
   */
  write(plants: PlantColumns, mark: Mark | undefined): Promise<BulkOutcome>;
  /** Forgets a mark, when its import has come to the end. */
  forget(key: string): Promise<void>;
  close(): Promise<void>;
}

/** What the import works on. */
export interface Data {
  /** Where the data is, for people to read; never a password. */
  readonly location: string;
  bulkWriter(store: StoreName): BulkWriter;
  close(): Promise<void>;
}
