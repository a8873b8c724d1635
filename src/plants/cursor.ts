/**
 * List cursors. A cursor contains the last id of a page, and a MAC binds it to the store and the filter of the list.
 */
import type { PlantId, StoreName } from './plant.ts';
import { createSeal } from './seal.ts';

const MAC_BYTES = 16;

/** The list that a cursor belongs to. */
interface CursorScope {
  readonly store: StoreName;
  readonly tag?: string | undefined;
}

export interface Cursors {
  encode(scope: CursorScope, last: PlantId): string;
  /**
   * Returns the last id of the previous page. Returns undefined if the cursor was altered or belongs to another list.
   */
  decode(scope: CursorScope, cursor: string): PlantId | undefined;
}

export function createCursors(key: Uint8Array): Cursors {
  const seal = createSeal(key, 1, MAC_BYTES);
  const nameOf = ({ store, tag }: CursorScope) => JSON.stringify([store, tag ?? null]);
  return {
    encode: (scope, last) => seal.close(nameOf(scope), [last]),
    decode: (scope, cursor) => seal.open(nameOf(scope), cursor)?.[0],
  };
}
