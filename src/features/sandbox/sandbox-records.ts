/** Keeps sandboxes in the database, with SQL that both engines understand. Each statement is one transaction. */

import type { SqlRow, SqlValue, Statements } from '../../stores/engine.ts';
import type { Amount } from '../../stores/plant-size.ts';
import { LOOKED_UP_TOGETHER } from './batched-look-up.ts';
import type { FirstPlants } from './sandbox.generated.ts';

/** Times are milliseconds since 1970. */
export interface Sandbox {
  readonly id: string;
  /** SHA-256 of the token, base64url. */
  readonly hash: string;
  /** The keyed hash of the address that created the sandbox. For IPv6: of its /48, a slash, and of its /64. */
  readonly address: string;
  readonly plants: FirstPlants;
  /** The store that holds the plants. */
  readonly store: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** The expiry after the first use. Undefined: the sandbox was used, or its use changes nothing. */
  readonly extendsTo?: number | undefined;
  /** The rules of faults with their revision, as `writeRules` writes them. Empty: there are none. */
  readonly faults: string;
}

export interface SnapshotRecord {
  readonly number: number;
  readonly createdAt: number;
  /** The bytes that the snapshot takes. */
  readonly bytes: number;
}

export interface SandboxRecords {
  add(sandbox: Sandbox): Promise<void>;
  /** The sandboxes whose tokens have these hashes, 1 to LOOKED_UP_TOGETHER. They may have expired. */
  find(hashes: readonly string[]): Promise<readonly Sandbox[]>;
  /** The sandboxes that were changed after a time, expired ones too. */
  changed(after: number): Promise<readonly Sandbox[]>;
  /** The sandboxes that have not expired, oldest first. */
  list(now: number): Promise<readonly Sandbox[]>;
  /** How many sandboxes have not expired. */
  countLive(now: number): Promise<number>;
  /**
   * How many sandboxes have an `address` that begins with this text: a whole address, the hash of a /48 and a slash, or
   * any address for an empty text. Counts also expired sandboxes whose plants are not yet deleted.
   */
  count(address: string): Promise<number>;
  /** When the first of these sandboxes expires. Undefined: there is none. */
  firstExpiry(address: string): Promise<number | undefined>;
  /** Extends the life of a sandbox after its first use, once. */
  extend(sandbox: Sandbox, now: number): Promise<void>;
  /** Ends a sandbox; false if it does not exist or had already expired. */
  end(id: string, now: number): Promise<boolean>;
  setFaults(id: string, faults: string, now: number): Promise<void>;
  /** Up to TOGETHER sandboxes that expired before a time. */
  ended(before: number): Promise<readonly Pick<Sandbox, 'id' | 'store'>[]>;
  /** Removes up to TOGETHER sandboxes; resolves to how many of them no other replica has removed. */
  remove(ids: readonly string[]): Promise<number>;
  /** The snapshots of a store, oldest first. */
  snapshots(store: string): Promise<readonly SnapshotRecord[]>;
  /** Gives a new store its quota. Must be called before its first write. */
  addQuota(store: string, most: Amount): Promise<void>;
  /** What the store of a sandbox holds, and how many plants it may hold. */
  sizeOf(store: string): Promise<Amount & { readonly mostPlants: number }>;
}

/** The number of events that a sandbox keeps. */
const EVENTS = 500;

const COLUMNS = 'id, hash, address, plants, store, created_at, expires_at, faults, extends_to';

/** How many rows one statement removes at most. */
export const TOGETHER = 16;
const LIST = Array.from({ length: TOGETHER }, (_, i) => `$${i + 1}`).join(', ');

/** The `address` of a sandbox that counts towards no cap. It is behind the range of all addresses. */
export const NO_ADDRESS = '~';
/** A range of the index. No address contains a tilde, which sorts after all characters of addresses. */
const BEGINS_WITH = 'address >= $1 AND address < $2';
const rangeOf = (address: string) => [address, `${address}~`];

export function sandboxRecords({ read, write }: Statements): SandboxRecords {
  const count = async (sql: string, ...values: readonly SqlValue[]) =>
    Number((await read(`SELECT count(*) FROM ${sql}`, values))[0]?.[0]);
  const select = async (rest: string, ...values: readonly SqlValue[]) =>
    (await read(`SELECT ${COLUMNS} FROM sandboxes WHERE ${rest}`, values)).map(recordOf);
  return {
    async add({ id, hash, address, plants, store, createdAt, expiresAt, faults, extendsTo = null }) {
      const sql = `INSERT INTO sandboxes (${COLUMNS}, changed_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0)
        ON CONFLICT DO NOTHING`;
      await write(sql, [id, hash, address, plants, store, createdAt, expiresAt, faults, extendsTo]);
    },
    // Every number of hashes would be another statement to prepare, so the last hash is repeated.
    find: (hashes) => {
      const count = hashes.length === 1 ? 1 : LOOKED_UP_TOGETHER;
      const values = Array.from({ length: count }, (_, i) => hashes[i] ?? hashes.at(-1) ?? '');
      return select(`hash IN (${values.map((_, i) => `$${i + 1}`).join(', ')})`, ...values);
    },
    changed: (after) => select('changed_at > $1', after),
    list: (now) => select('expires_at > $1 ORDER BY created_at, id', now),
    countLive: (now) => count('sandboxes WHERE expires_at > $1', now),
    count: (address) => count(`sandboxes WHERE ${BEGINS_WITH}`, ...rangeOf(address)),
    async firstExpiry(address) {
      const [row] = await read(`SELECT min(expires_at) FROM sandboxes WHERE ${BEGINS_WITH}`, rangeOf(address));
      return numberOf(row?.[0]);
    },
    async extend({ id }, now) {
      const sql = `UPDATE sandboxes SET expires_at = extends_to, extends_to = NULL, changed_at = $1
        WHERE id = $2 AND expires_at > $1 AND extends_to IS NOT NULL`;
      await write(sql, [now, id]);
    },
    async end(id, now) {
      const sql = `UPDATE sandboxes SET expires_at = $1, changed_at = $1
        WHERE id = $2 AND expires_at > $1 RETURNING id`;
      return (await write(sql, [now, id])).length > 0;
    },
    async setFaults(id, faults, now) {
      await write('UPDATE sandboxes SET faults = $1, changed_at = $2 WHERE id = $3', [faults, now, id]);
    },
    async ended(before) {
      const sql = 'SELECT id, store FROM sandboxes WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2';
      return (await read(sql, [before, TOGETHER])).map(([id, store]) => ({ id: String(id), store: String(store) }));
    },
    async remove(ids) {
      // The text stays the same, so that an engine prepares it only once.
      const values = Array.from({ length: TOGETHER }, (_, i) => ids[i] ?? ids[0] ?? '');
      return (await write(`DELETE FROM sandboxes WHERE id IN (${LIST}) RETURNING id`, values)).length;
    },
    async snapshots(store) {
      const sql = 'SELECT number, at, octet_length(plants) FROM snapshots WHERE store = $1 ORDER BY number';
      const rows = await read(sql, [store]);
      return rows.map(([number, at, bytes]) => ({
        number: Number(number),
        createdAt: Number(at),
        bytes: Number(bytes),
      }));
    },
    async addQuota(store, most) {
      const sql = `INSERT INTO quotas (store, plants, bytes, most_plants, most_bytes, most_events)
        VALUES ($1, 0, 0, $2, $3, $4) ON CONFLICT DO NOTHING`;
      await write(sql, [store, most.plants, most.bytes, EVENTS]);
    },
    async sizeOf(store) {
      const [row = [0, 0, 0]] = await read('SELECT plants, bytes, most_plants FROM quotas WHERE store = $1', [store]);
      return { plants: Number(row[0]), bytes: Number(row[1]), mostPlants: Number(row[2]) };
    },
  };
}

/** A column that may be NULL. */
function numberOf(value: unknown): number | undefined {
  return value == null ? undefined : Number(value);
}

function recordOf([id, hash, address, plants, store, createdAt, expiresAt, faults, extendsTo]: SqlRow): Sandbox {
  return {
    id: String(id),
    hash: String(hash),
    address: String(address),
    plants: plants === 'garden' ? 'garden' : 'none',
    store: String(store),
    createdAt: Number(createdAt),
    expiresAt: Number(expiresAt),
    faults: String(faults),
    extendsTo: numberOf(extendsTo),
  };
}
