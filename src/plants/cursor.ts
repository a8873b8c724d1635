/** Cursors that no client can alter: a place in a list, and a MAC that binds the place to the list. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { StoreName } from './plant.ts';

export interface Cursors<List> {
  /** Returns the cursor of a place, in base64url. A place is one or more int64 numbers. */
  encode(list: List, ...place: readonly bigint[]): string;
  /** Returns the place of a cursor. Undefined: the cursor was altered or belongs to another list. */
  decode(list: List, cursor: string): readonly bigint[] | undefined;
}

interface Kind<List> {
  nameOf(list: List): string;
  /** How many numbers a place has. */
  readonly length: number;
  /**
   * The bytes of a place and of a MAC together must be a multiple of 3. Then the characters of a cursor have no spare
   * bits, and no other spelling decodes to the same bytes.
   */
  readonly macBytes: number;
}

export interface PlantList {
  readonly store: StoreName;
  readonly tag?: string | undefined;
}

/** A place is the last id of a page. */
export const PLANT_LISTS: Kind<PlantList> = {
  nameOf: ({ store, tag }) => JSON.stringify([store, tag ?? null]),
  length: 1,
  macBytes: 16,
};
/** A place is the period in which events are on, and the number of an event in the store's sequence. */
export const EVENT_LISTS: Kind<StoreName> = { nameOf: (store) => `events\n${store}\n`, length: 2, macBytes: 14 };

const NUMBER_BYTES = 8;

/** All replicas share the secret key of the database, so cursors stay valid across restarts and replicas. */
export function createCursors<List>(key: Uint8Array, { nameOf, length, macBytes }: Kind<List>): Cursors<List> {
  const mac = (list: List, place: Uint8Array) =>
    createHmac('sha256', key).update(nameOf(list)).update(place).digest().subarray(0, macBytes);
  return {
    encode(list, ...place) {
      const bytes = Buffer.alloc(length * NUMBER_BYTES);
      for (const [i, number] of place.entries()) bytes.writeBigInt64BE(number, i * NUMBER_BYTES);
      return Buffer.concat([bytes, mac(list, bytes)]).toString('base64url');
    },
    decode(list, cursor) {
      const bytes = Buffer.from(cursor, 'base64url');
      const end = length * NUMBER_BYTES;
      if (bytes.length !== end + macBytes || bytes.toString('base64url') !== cursor) return undefined;
      if (!timingSafeEqual(mac(list, bytes.subarray(0, end)), bytes.subarray(end))) return undefined;
      return Array.from({ length }, (_, i) => bytes.readBigInt64BE(i * NUMBER_BYTES));
    },
  };
}
