/** Cursors that no client can alter: a place in a list, and a MAC that binds it to the list. */
import { createHmac, timingSafeEqual } from 'node:crypto';

export interface Seal {
  /** Returns the cursor of a place in a list, in base64url. `list`: names the list. */
  close(list: string, place: Uint8Array): string;
  /** Returns the place of a cursor. Undefined: the cursor was altered or belongs to another list. */
  open(list: string, cursor: string): Buffer | undefined;
}

/**
 * All replicas of a store share the secret key, so that cursors stay valid across restarts and replicas. The bytes of a
 * place and of a MAC together must be a multiple of 3. Then the characters of a cursor have no spare bits, and no other
 * spelling decodes to the same bytes.
 */
export function createSeal(key: Uint8Array, placeBytes: number, macBytes: number): Seal {
  const mac = (list: string, place: Uint8Array) =>
    createHmac('sha256', key).update(list).update(place).digest().subarray(0, macBytes);
  return {
    close: (list, place) => Buffer.concat([place, mac(list, place)]).toString('base64url'),
    open(list, cursor) {
      const bytes = Buffer.from(cursor, 'base64url');
      if (bytes.length !== placeBytes + macBytes || bytes.toString('base64url') !== cursor) return undefined;
      const place = bytes.subarray(0, placeBytes);
      return timingSafeEqual(mac(list, place), bytes.subarray(placeBytes)) ? place : undefined;
    },
  };
}
