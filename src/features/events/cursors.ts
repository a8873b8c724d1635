/** Cursors of events. A cursor contains a place in a store's sequence, and a MAC binds it to the store. */
import type { StoreName } from '../../plants/plant.ts';
import { createSeal } from '../../plants/seal.ts';

const MAC_BYTES = 14;

export interface Cursors {
  /** `period`: the name of the period in which events are on. */
  encode(period: string, store: StoreName, number: bigint): string;
  /**
   * Returns the number of the last event that a reader has seen. `ended`: events were turned off after the cursor was
   * made. Undefined: the cursor was altered or belongs to another store.
   */
  decode(period: string, store: StoreName, cursor: string): bigint | 'ended' | undefined;
}

export function createCursors(key: Uint8Array): Cursors {
  const seal = createSeal(key, 2, MAC_BYTES);
  const listOf = (store: StoreName) => `events\n${store}\n`;
  return {
    encode: (period, store, number) => seal.close(listOf(store), [BigInt(period), number]),
    decode(period, store, cursor) {
      const [own, number] = seal.open(listOf(store), cursor) ?? [];
      return own === undefined || own === BigInt(period) ? number : 'ended';
    },
  };
}
