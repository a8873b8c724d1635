/** Cursors of events. A cursor contains a place in a store's sequence, and a MAC binds it to the store. */
import type { StoreName } from '../../plants/plant.ts';
import { createSeal } from '../../plants/seal.ts';

const NUMBER_BYTES = 8;
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
  const seal = createSeal(key, 2 * NUMBER_BYTES, MAC_BYTES);
  const listOf = (store: StoreName) => `events\n${store}\n`;
  return {
    encode(period, store, number) {
      const place = Buffer.alloc(2 * NUMBER_BYTES);
      place.writeBigInt64BE(BigInt(period));
      place.writeBigInt64BE(number, NUMBER_BYTES);
      return seal.close(listOf(store), place);
    },
    decode(period, store, cursor) {
      const place = seal.open(listOf(store), cursor);
      if (place === undefined) return undefined;
      if (place.readBigInt64BE() !== BigInt(period)) return 'ended';
      return place.readBigInt64BE(NUMBER_BYTES);
    },
  };
}
