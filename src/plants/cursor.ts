/** The list cursor: the last id of a page, bound by a MAC to the store and the filter it was made for. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { PlantId, StoreName } from './plant.ts';

const ID_BYTES = 8;
const MAC_BYTES = 16;

/** What a cursor is bound to. */
interface CursorScope {
  readonly store: StoreName;
  readonly tag?: string | undefined;
}

export interface Cursors {
  encode(scope: CursorScope, last: PlantId): string;
  /** The last id of the page before, or undefined when the cursor was altered or made for something else. */
  decode(scope: CursorScope, cursor: string): PlantId | undefined;
}

/** Cursors under a secret key that all replicas of a store share, so that they hold across restarts and replicas. */
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
      // 24 bytes are 32 characters without spare bits, so that no second spelling decodes to the same bytes.
      const bytes = Buffer.from(cursor, 'base64url');
      if (bytes.length !== ID_BYTES + MAC_BYTES || bytes.toString('base64url') !== cursor) return undefined;
      const id = bytes.subarray(0, ID_BYTES);
      return timingSafeEqual(mac(scope, id), bytes.subarray(ID_BYTES)) ? id.readBigInt64BE() : undefined;
    },
  };
}
