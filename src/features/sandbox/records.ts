/** Keeps sandboxes in the database, with SQL that both engines understand. Each statement is one transaction. */

import type { SqlRow, SqlValue, Statements } from '../../stores/engine.ts';
import { LOOKED_UP_TOGETHER } from './look-up.ts';
import type { FirstPlants } from './sandbox.generated.ts';

/** Times are milliseconds since 1970. */
export interface SandboxRecord {
  readonly id: string;
  /** SHA-256 of the token, base64url. */
  readonly hash: string;
  /** The keyed hash of the address that created the sandbox. For IPv6: of its /48, a slash, and of its /64. */
  readonly address: string;
  readonly plants: FirstPlants;
  /** The store that holds the plants now. Each reset fills another store. */
  readonly store: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** The expiry after the first use. Undefined: the sandbox was used, or its use changes nothing. */
  readonly extendsTo?: number | undefined;
  /** The rules of faults, as JSON. */
  readonly faults: string;
}

export interface SnapshotRecord {
  readonly number: number;
  readonly store: string;
  readonly createdAt: number;
  /** The bytes that its plants take. Undefined: an older version did not measure them. */
  readonly bytes?: number | undefined;
}

/** The left stores of a sandbox, which it no longer uses, and the stores that are being filled for it. */
export interface LeftStores {
  readonly bytes: number;
  /** When the first of these stores may be deleted. */
  readonly until: number;
}

export interface SandboxRecords {
  add(sandbox: SandboxRecord): Promise<void>;
  /** The sandboxes whose tokens have these hashes, 1 to 50. They may have expired. */
  find(hashes: readonly string[]): Promise<readonly SandboxRecord[]>;
  /** The sandboxes that were changed after a time, expired ones too. */
  changed(after: number): Promise<readonly SandboxRecord[]>;
  /** The sandboxes that have not expired, oldest first. */
  list(now: number): Promise<readonly SandboxRecord[]>;
  /** How many sandboxes have not expired. */
  countLive(now: number): Promise<number>;
  /** How many sandboxes there are, also expired ones whose plants are not yet deleted. */
  count(): Promise<number>;
  /**
   * How many sandboxes have an `address` that begins with this text: a whole address, or the hash of a /48 and a slash.
   */
  countOf(address: string): Promise<number>;
  /** When the first sandbox of an address, as in `countOf`, or of all addresses expires. Undefined: there is none. */
  firstExpiry(address?: string): Promise<number | undefined>;
  /** Extends the life of a sandbox after its first use, once. */
  extend(sandbox: SandboxRecord, now: number): Promise<void>;
  /** Ends a sandbox; false if it does not exist or had already expired. */
  end(id: string, now: number): Promise<boolean>;
  setFaults(id: string, faults: string, now: number): Promise<void>;
  /** The ids of up to TOGETHER sandboxes that expired before a time and have no store left. */
  ended(before: number): Promise<readonly string[]>;
  /** Removes up to TOGETHER sandboxes; resolves to how many of them no other replica has removed. */
  remove(ids: readonly string[]): Promise<number>;

  /** Adds a store that is about to be filled. `bytes`: what its plants will take. */
  addStore(store: string, sandbox: string, usedUntil: number, bytes: number): Promise<void>;
  /** Moves a sandbox to another store at one moment; false if it was moved or has expired meanwhile. */
  turn(id: string, from: string, to: string, now: number): Promise<boolean>;
  /** Keeps a store until its sandbox expires, even if that time has passed. */
  keep(store: string, sandbox: string): Promise<void>;
  /** Keeps a store until a time. `bytes`: what its plants take now, if that may have changed. */
  leave(store: string, usedUntil: number, bytes?: number): Promise<void>;
  /** Removes the events of a store that its sandbox has left. */
  removeEvents(store: string): Promise<void>;
  /** The stores of a sandbox that are neither its present store nor a snapshot. Each counts `least` bytes or more. */
  left(sandbox: SandboxRecord, least: number): Promise<LeftStores>;
  /** Up to `most` stores that nothing uses any more. A sandbox uses its stores until it has expired before a time. */
  unused(now: number, before: number, most: number): Promise<readonly string[]>;
  /** Removes up to TOGETHER stores; resolves to how many of them no other replica has removed. */
  removeStores(stores: readonly string[]): Promise<number>;

  snapshots(sandbox: string): Promise<readonly SnapshotRecord[]>;
  /** Turns a store into a snapshot; false if another replica used the same number at the same time. */
  keepSnapshot(snapshot: SnapshotRecord): Promise<boolean>;
}

const COLUMNS = 'id, hash, address, plants, store, created_at, expires_at, faults, extends_to';

/**
 * A store is unused if `used_until` has passed, no sandbox uses it and it is no snapshot of a sandbox. A sandbox that
 * has expired uses its stores a little longer, for the requests that are in progress. While a store is
 * being filled, and after its sandbox left it, `used_until` gives requests time to finish. Otherwise it is the
 * sandbox's expiry, so that the index finds the few stores that may be unused.
 */
const UNUSED = `used_until <= $1 AND NOT EXISTS (SELECT 1 FROM sandboxes
    WHERE sandboxes.id = sandbox_stores.sandbox AND expires_at > $2
      AND (sandboxes.store = sandbox_stores.store OR snapshot IS NOT NULL))`;

/** How many rows one statement removes at most. */
export const TOGETHER = 16;
const LIST = Array.from({ length: TOGETHER }, (_, i) => `$${i + 1}`).join(', ');

/** A range of the index. No address contains a tilde, which sorts after all characters of addresses. */
const BEGINS_WITH = 'address >= $1 AND address < $2';
const rangeOf = (address: string) => [address, `${address}~`];

export function sandboxRecords({ read, write }: Statements): SandboxRecords {
  /** Resolves to the number of rows that a statement changed. `column` is any of its table. */
  const run = async (sql: string, column: string, ...values: readonly SqlValue[]) =>
    (await write(`${sql} RETURNING ${column}`, values)).length;
  const count = async (sql: string, ...values: readonly SqlValue[]) =>
    Number((await read(`SELECT count(*) FROM ${sql}`, values))[0]?.[0]);
  const select = async (rest: string, ...values: readonly SqlValue[]) =>
    (await read(`SELECT ${COLUMNS} FROM sandboxes WHERE ${rest}`, values)).map(recordOf);
  const removeListed = async (table: string, column: string, names: readonly string[]) => {
    if (names.length === 0) return 0;
    // The text stays the same, so that an engine prepares it only once.
    const values = Array.from({ length: TOGETHER }, (_, i) => names[i] ?? names[0] ?? '');
    return run(`DELETE FROM ${table} WHERE ${column} IN (${LIST})`, column, ...values);
  };
  const leave = async (store: string, usedUntil: number, bytes?: number) => {
    const sql = 'UPDATE sandbox_stores SET used_until = $1, bytes = coalesce($2, bytes) WHERE store = $3';
    await run(sql, 'store', usedUntil, bytes ?? null, store);
  };

  return {
    async add({ id, hash, address, plants, store, createdAt, expiresAt, faults, extendsTo = null }) {
      const sql = `INSERT INTO sandboxes (${COLUMNS}, changed_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0)
        ON CONFLICT DO NOTHING`;
      await run(sql, 'id', id, hash, address, plants, store, createdAt, expiresAt, faults, extendsTo);
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
    count: () => count('sandboxes'),
    countOf: (address) => count(`sandboxes WHERE ${BEGINS_WITH}`, ...rangeOf(address)),
    async firstExpiry(address) {
      const sql = 'SELECT min(expires_at) FROM sandboxes';
      const [row] = await (address === undefined ? read(sql) : read(`${sql} WHERE ${BEGINS_WITH}`, rangeOf(address)));
      return numberOf(row?.[0]);
    },
    async extend({ id, expiresAt, extendsTo = expiresAt }, now) {
      const sql = `UPDATE sandboxes SET expires_at = extends_to, extends_to = NULL, changed_at = $1
        WHERE id = $2 AND expires_at > $1 AND extends_to IS NOT NULL`;
      await run(sql, 'id', now, id);
      const stores = 'UPDATE sandbox_stores SET used_until = $1 WHERE sandbox = $2 AND used_until = $3';
      await run(stores, 'store', extendsTo, id, expiresAt);
    },
    async end(id, now) {
      const sql = 'UPDATE sandboxes SET expires_at = $1, changed_at = $1 WHERE id = $2 AND expires_at > $1';
      const ended = await run(sql, 'id', now, id);
      const stores = 'UPDATE sandbox_stores SET used_until = $1 WHERE sandbox = $2 AND used_until > $1';
      await run(stores, 'store', now, id);
      return ended > 0;
    },
    async setFaults(id, faults, now) {
      await run('UPDATE sandboxes SET faults = $1, changed_at = $2 WHERE id = $3', 'id', faults, now, id);
    },
    async ended(before) {
      const sql = `SELECT id FROM sandboxes
        WHERE expires_at <= $1 AND NOT EXISTS (SELECT 1 FROM sandbox_stores WHERE sandbox = sandboxes.id)
        ORDER BY expires_at LIMIT $2`;
      return (await read(sql, [before, TOGETHER])).map(([id]) => String(id));
    },
    remove: (ids) => removeListed('sandboxes', 'id', ids),

    async addStore(store, sandbox, usedUntil, bytes) {
      const sql = `INSERT INTO sandbox_stores (store, sandbox, used_until, bytes) VALUES ($1, $2, $3, $4)
        ON CONFLICT DO NOTHING`;
      await run(sql, 'store', store, sandbox, usedUntil, bytes);
    },
    async turn(id, from, to, now) {
      const sql = 'UPDATE sandboxes SET store = $1, changed_at = $2 WHERE id = $3 AND store = $4 AND expires_at > $2';
      return (await run(sql, 'id', to, now, id, from)) > 0;
    },
    async keep(store, sandbox) {
      const end = (await read('SELECT expires_at FROM sandboxes WHERE id = $1', [sandbox]))[0]?.[0];
      await leave(store, Number(end ?? 0));
    },
    leave,
    async removeEvents(store) {
      await run('DELETE FROM events WHERE store = $1', 'number', store);
    },
    async left({ id, store }, least) {
      const size = 'CASE WHEN bytes > $3 THEN bytes ELSE $3 END';
      const sql = `SELECT CAST(coalesce(sum(${size}), 0) AS BIGINT), coalesce(min(used_until), 0) FROM sandbox_stores
        WHERE sandbox = $1 AND store <> $2 AND snapshot IS NULL`;
      const [row] = await read(sql, [id, store, least]);
      return { bytes: Number(row?.[0]), until: Number(row?.[1]) };
    },
    async unused(now, before, most) {
      const sql = `SELECT store FROM sandbox_stores WHERE ${UNUSED} ORDER BY used_until LIMIT $3`;
      const rows = await read(sql, [now, before, most]);
      return rows.map(([store]) => String(store));
    },
    removeStores: (stores) => removeListed('sandbox_stores', 'store', stores),

    async snapshots(sandbox) {
      const sql = `SELECT snapshot, store, snapshot_at, bytes FROM sandbox_stores
        WHERE sandbox = $1 AND snapshot IS NOT NULL ORDER BY snapshot`;
      const rows = await read(sql, [sandbox]);
      return rows.map(([number, store, at, bytes]) => ({
        number: Number(number),
        store: String(store),
        createdAt: Number(at),
        bytes: numberOf(bytes),
      }));
    },
    async keepSnapshot({ number, store, createdAt }) {
      const sql = 'UPDATE sandbox_stores SET snapshot = $1, snapshot_at = $2 WHERE store = $3';
      await run(sql, 'store', number, createdAt, store);
      const others = `sandbox_stores WHERE snapshot = $1
        AND sandbox = (SELECT sandbox FROM sandbox_stores WHERE store = $2)`;
      if ((await count(others, number, store)) < 2) return true;
      await run('UPDATE sandbox_stores SET snapshot = NULL WHERE store = $1', 'store', store);
      return false;
    },
  };
}

/** A column that may be NULL. */
function numberOf(value: unknown): number | undefined {
  return value == null ? undefined : Number(value);
}

function recordOf([id, hash, address, plants, store, createdAt, expiresAt, faults, extendsTo]: SqlRow): SandboxRecord {
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
