/**
 * List cursors. A cursor contains the last id of a page, and a MAC binds it to the store and the filter of the list.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { PlantId, StoreName } from './plant.ts';

const ID_BYTES = 8;
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

/** All replicas of a store share the secret key, so that cursors stay valid across restarts and replicas. */
export function createCursors(key: Uint8Array): Cursors {
  const mac = (scope: CursorScope, id: Uint8Array) =>
    createHmac('sha256', key)
      .update(JSON.stringify([scope.store, scope.tag ?? null]))
      .update(id)
      .digest()
      .subarray(0, MAC_BYTES);
  return {
    encode(scope, last) {
      const id = Buffer.alloc(ID_BYTES);
      id.writeBigInt64BE(last);
      return Buffer.concat([id, mac(scope, id)]).toString('base64url');
    },
    decode(scope, cursor) {
      // 24 bytes are 32 characters without spare bits, so no other spelling decodes to the same bytes.
      const bytes = Buffer.from(cursor, 'base64url');
      if (bytes.length !== ID_BYTES + MAC_BYTES || bytes.toString('base64url') !== cursor) return undefined;
      const id = bytes.subarray(0, ID_BYTES);
      return timingSafeEqual(mac(scope, id), bytes.subarray(ID_BYTES)) ? id.readBigInt64BE() : undefined;
    },
  };
}
