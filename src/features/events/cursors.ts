/** Cursors of events. A cursor contains a place in a store's sequence, and a MAC binds it to the reader's feed. */
import { hash } from 'node:crypto';
import type { StoreName } from '../../plants/plant.ts';
import { createSeal } from '../../plants/seal.ts';

const NUMBER_BYTES = 8;
const STORE_BYTES = 4;
const MAC_BYTES = 10;
const PLACE_BYTES = 2 * NUMBER_BYTES + STORE_BYTES;

export interface Cursors {
  /** `period`: the name of the period in which events are on. */
  encode(period: string, store: StoreName, number: bigint): string;
  /**
   * Returns the number of the last event that a reader has seen. `begin`: the sandbox was reset after the cursor was
   * made. `ended`: events were turned off after the cursor was made. Undefined: the cursor was altered or belongs to
   * another feed.
   */
  decode(period: string, store: StoreName, cursor: string): bigint | 'begin' | 'ended' | undefined;
}

export function createCursors(key: Uint8Array): Cursors {
  const seal = createSeal(key, PLACE_BYTES, MAC_BYTES);
  const listOf = (store: StoreName) => `events\n${feedOf(store)}\n`;
  return {
    encode(period, store, number) {
      const place = Buffer.alloc(PLACE_BYTES);
      place.writeBigInt64BE(BigInt(period));
      place.writeBigInt64BE(number, NUMBER_BYTES);
      nameOf(store).copy(place, 2 * NUMBER_BYTES);
      return seal.close(listOf(store), place);
    },
    decode(period, store, cursor) {
      const place = seal.open(listOf(store), cursor);
      if (place === undefined) return undefined;
      if (place.readBigInt64BE() !== BigInt(period)) return 'ended';
      if (!place.subarray(2 * NUMBER_BYTES).equals(nameOf(store))) return 'begin';
      return place.readBigInt64BE(NUMBER_BYTES);
    },
  };
}

/** A reset gives a sandbox another store. The stores of a sandbox share the part of their names before the dot. */
const feedOf = (store: StoreName) => (store.startsWith('~') ? store.replace(/\..*/, '') : store);
const nameOf = (store: StoreName) => hash('sha256', store, 'buffer').subarray(0, STORE_BYTES);
