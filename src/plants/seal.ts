/** Cursors that no client can alter: a place in a list, and a MAC that binds the place to the list. */
import { createHmac, timingSafeEqual } from 'node:crypto';

export interface Seal {
  /** Returns the cursor of a place, which is int64 numbers, in base64url. `list`: names the list. */
  close(list: string, place: readonly bigint[]): string;
  /** Returns the place of a cursor. Undefined: the cursor was altered or belongs to another list. */
  open(list: string, cursor: string): readonly bigint[] | undefined;
}

const NUMBER_BYTES = 8;

/**
 * All replicas of a store share the secret key, so that cursors stay valid across restarts and replicas. `length`: how
 * many numbers a place has. The bytes of a place and of a MAC together must be a multiple of 3. Then the characters of
 * a cursor have no spare bits, and no other spelling decodes to the same bytes.
 */
export function createSeal(key: Uint8Array, length: number, macBytes: number): Seal {
  const mac = (list: string, place: Uint8Array) =>
    createHmac('sha256', key).update(list).update(place).digest().subarray(0, macBytes);
  return {
    close(list, place) {
      const bytes = Buffer.alloc(length * NUMBER_BYTES);
      for (const [i, number] of place.entries()) bytes.writeBigInt64BE(number, i * NUMBER_BYTES);
      return Buffer.concat([bytes, mac(list, bytes)]).toString('base64url');
    },
    open(list, cursor) {
      const bytes = Buffer.from(cursor, 'base64url');
      const end = length * NUMBER_BYTES;
      if (bytes.length !== end + macBytes || bytes.toString('base64url') !== cursor) return undefined;
      if (!timingSafeEqual(mac(list, bytes.subarray(0, end)), bytes.subarray(end))) return undefined;
      return Array.from({ length }, (_, i) => bytes.readBigInt64BE(i * NUMBER_BYTES));
    },
  };
}
