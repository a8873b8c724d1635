/** Keeps sandboxes in the database, with SQL that both engines understand. Each statement is one transaction. */
import type { SqlRow, SqlValue, Statements } from '../stores/engine.ts';
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
  /** The rules of faults, as JSON. */
  readonly faults: string;
}

export interface SnapshotRecord {
  readonly number: number;
  readonly store: string;
  readonly createdAt: number;
}

export interface SandboxRecords {
  add(sandbox: SandboxRecord): Promise<void>;
  find(hash: string): Promise<SandboxRecord | undefined>;
  /** The sandboxes that were changed after a time, expired ones too. */
  changed(after: number): Promise<readonly SandboxRecord[]>;
  /** The sandboxes that have not expired, oldest first. */
  list(now: number): Promise<readonly SandboxRecord[]>;
  /** How many sandboxes have not expired. */
  count(now: number): Promise<number>;
  /** How many sandboxes of one address have not expired. */
  countOf(address: string, now: number): Promise<number>;
  /** Ends a sandbox; false if it does not exist or had already expired. */
  end(id: string, now: number): Promise<boolean>;
  setFaults(id: string, faults: string, now: number): Promise<void>;
  /** Deletes the sandboxes that expired before a time; resolves to their number. */
  removeEnded(before: number): Promise<number>;

  /** Adds a store that is about to be filled. */
  addStore(store: string, sandbox: string, usedUntil: number): Promise<void>;
  /** Moves a sandbox to another store at one moment; false if it was moved or has expired meanwhile. */
  turn(id: string, from: string, to: string, now: number): Promise<boolean>;
  /** Keeps a store until its sandbox expires, even if that time has passed. */
  keep(store: string, sandbox: string): Promise<void>;
  /** Keeps a store until a time. */
  leave(store: string, usedUntil: number): Promise<void>;
  /** Up to `most` stores that nothing uses any more. */
  unused(now: number, most: number): Promise<readonly string[]>;
  removeStore(store: string): Promise<void>;

  snapshots(sandbox: string): Promise<readonly SnapshotRecord[]>;
  /** Turns a store into a snapshot; false if another replica used the same number at the same time. */
  keepSnapshot(snapshot: SnapshotRecord): Promise<boolean>;
}

const COLUMNS = 'id, hash, address, plants, store, created_at, expires_at, faults';

/**
 * A store is unused if `used_until` has passed, no sandbox uses it and it is no snapshot of a sandbox. While a store is
 * being filled, and after its sandbox left it, `used_until` gives requests time to finish. Otherwise it is the
 * sandbox's expiry, so that the index finds the few stores that may be unused.
 */
const UNUSED = `used_until <= $1 AND NOT EXISTS (SELECT 1 FROM sandboxes
    WHERE sandboxes.id = sandbox_stores.sandbox AND (sandboxes.store = sandbox_stores.store OR snapshot IS NOT NULL))`;

export function sandboxRecords({ read, write }: Statements): SandboxRecords {
  /** Resolves to the number of rows that a statement changed. `column` is any of its table. */
  const run = async (sql: string, column: string, ...values: readonly SqlValue[]) =>
    (await write(`${sql} RETURNING ${column}`, values)).length;
  const count = async (sql: string, ...values: readonly SqlValue[]) =>
    Number((await read(`SELECT count(*) FROM ${sql}`, values))[0]?.[0]);
  const select = async (rest: string, ...values: readonly SqlValue[]) =>
    (await read(`SELECT ${COLUMNS} FROM sandboxes WHERE ${rest}`, values)).map(recordOf);
  const leave = async (store: string, usedUntil: number) => {
    await run('UPDATE sandbox_stores SET used_until = $1 WHERE store = $2', 'store', usedUntil, store);
  };

  return {
    async add({ id, hash, address, plants, store, createdAt, expiresAt, faults }) {
      const sql = `INSERT INTO sandboxes (${COLUMNS}, changed_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0)
        ON CONFLICT DO NOTHING`;
      await run(sql, 'id', id, hash, address, plants, store, createdAt, expiresAt, faults);
    },
    find: async (hash) => (await select('hash = $1', hash))[0],
    changed: (after) => select('changed_at > $1', after),
    list: (now) => select('expires_at > $1 ORDER BY created_at, id', now),
    count: (now) => count('sandboxes WHERE expires_at > $1', now),
    countOf: (address, now) => count('sandboxes WHERE address = $1 AND expires_at > $2', address, now),
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
    removeEnded: (before) => run('DELETE FROM sandboxes WHERE expires_at <= $1', 'id', before),

    async addStore(store, sandbox, usedUntil) {
      const sql = 'INSERT INTO sandbox_stores (store, sandbox, used_until) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING';
      await run(sql, 'store', store, sandbox, usedUntil);
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
    async unused(now, most) {
      const rows = await read(`SELECT store FROM sandbox_stores WHERE ${UNUSED} LIMIT $2`, [now, most]);
      return rows.map(([store]) => String(store));
    },
    async removeStore(store) {
      await run('DELETE FROM sandbox_stores WHERE store = $1', 'store', store);
    },

    async snapshots(sandbox) {
      const sql = `SELECT snapshot, store, snapshot_at FROM sandbox_stores
        WHERE sandbox = $1 AND snapshot IS NOT NULL ORDER BY snapshot`;
      const rows = await read(sql, [sandbox]);
      return rows.map(([number, store, at]) => ({
        number: Number(number),
        store: String(store),
        createdAt: Number(at),
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

function recordOf([id, hash, address, plants, store, createdAt, expiresAt, faults]: SqlRow): SandboxRecord {
  return {
    id: String(id),
    hash: String(hash),
    address: String(address),
    plants: plants === 'garden' ? 'garden' : 'none',
    store: String(store),
    createdAt: Number(createdAt),
    expiresAt: Number(expiresAt),
    faults: String(faults),
  };
}
