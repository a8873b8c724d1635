/** What is kept of sandboxes in the store, by SQL that both engines understand. Every statement is whole by itself. */
import type { SqlRow, Statements } from '../stores/engine.ts';
import type { FirstPlants } from './sandbox.generated.ts';

/** Times are milliseconds since 1970. */
export interface SandboxRecord {
  readonly id: string;
  /** SHA-256 of its token, base64url. */
  readonly hash: string;
  /** Tells apart the addresses that made them, for the cap; not the address itself. */
  readonly address: string;
  /** What it began with. */
  readonly plants: FirstPlants;
  /** Where its plants are now: each reset fills another store. */
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

export type SandboxRecords = ReturnType<typeof sandboxRecords>;

const COLUMNS = 'id, hash, address, plants, store, created_at, expires_at, faults';

/**
 * A store of a sandbox is used while its sandbox is there and names it, or while it is a snapshot of one, or until
 * `used_until`: while it is filled, and while requests under way may still read it. Where it is used, that is when its
 * sandbox expires, so that the index finds the few that may be unused without a look at all the others.
 */
const UNUSED = `used_until <= $1 AND NOT EXISTS (SELECT 1 FROM sandboxes
    WHERE sandboxes.id = sandbox_stores.sandbox AND (sandboxes.store = sandbox_stores.store OR snapshot IS NOT NULL))`;

export function sandboxRecords({ read, write }: Statements) {
  const countOf = (rows: readonly SqlRow[]) => Number(rows[0]?.[0]);
  return {
    async add({ id, hash, address, plants, store, createdAt, expiresAt, faults }: SandboxRecord): Promise<void> {
      await write(
        `INSERT INTO sandboxes (${COLUMNS}, changed_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0)
          ON CONFLICT DO NOTHING RETURNING id`,
        [id, hash, address, plants, store, createdAt, expiresAt, faults],
      );
    },
    find: async (hash: string) => recordOf((await read(`SELECT ${COLUMNS} FROM sandboxes WHERE hash = $1`, [hash]))[0]),
    /** Those that were changed after a time, ended ones too. */
    async changed(after: number): Promise<readonly SandboxRecord[]> {
      const rows = await read(`SELECT ${COLUMNS} FROM sandboxes WHERE changed_at > $1`, [after]);
      return rows.flatMap((row) => recordOf(row) ?? []);
    },
    /** Those that have not expired, oldest first. */
    async list(now: number): Promise<readonly SandboxRecord[]> {
      const rows = await read(`SELECT ${COLUMNS} FROM sandboxes WHERE expires_at > $1 ORDER BY created_at, id`, [now]);
      return rows.flatMap((row) => recordOf(row) ?? []);
    },
    count: async (now: number) => countOf(await read('SELECT count(*) FROM sandboxes WHERE expires_at > $1', [now])),
    countOf: async (address: string, now: number) =>
      countOf(await read('SELECT count(*) FROM sandboxes WHERE address = $1 AND expires_at > $2', [address, now])),
    /** Whether there was one that had not ended. */
    async end(id: string, now: number): Promise<boolean> {
      const ended = await write(
        'UPDATE sandboxes SET expires_at = $1, changed_at = $1 WHERE id = $2 AND expires_at > $1 RETURNING id',
        [now, id],
      );
      await write('UPDATE sandbox_stores SET used_until = $1 WHERE sandbox = $2 AND used_until > $1 RETURNING store', [
        ...[now, id],
      ]);
      return ended.length > 0;
    },
    async setFaults(id: string, faults: string, now: number): Promise<void> {
      await write('UPDATE sandboxes SET faults = $1, changed_at = $2 WHERE id = $3 RETURNING id', [faults, now, id]);
    },

    /** A store that is about to be filled. */
    async addStore(store: string, sandbox: string, usedUntil: number): Promise<void> {
      await write(
        `INSERT INTO sandbox_stores (store, sandbox, used_until) VALUES ($1, $2, $3)
          ON CONFLICT DO NOTHING RETURNING store`,
        [store, sandbox, usedUntil],
      );
    },
    /** From one moment to the next everybody reads the other store. False where the sandbox has turned or ended meanwhile. */
    turn: async (id: string, from: string, to: string, now: number) =>
      (
        await write(
          `UPDATE sandboxes SET store = $1, changed_at = $2 WHERE id = $3 AND store = $4 AND expires_at > $2
            RETURNING id`,
          [to, now, id, from],
        )
      ).length > 0,
    /** A store that its sandbox uses: until the sandbox ends, which may have been meanwhile. */
    async keep(store: string, sandbox: string): Promise<void> {
      const end = (await read('SELECT expires_at FROM sandboxes WHERE id = $1', [sandbox]))[0]?.[0];
      await this.leave(store, Number(end ?? 0));
    },
    async leave(store: string, usedUntil: number): Promise<void> {
      await write('UPDATE sandbox_stores SET used_until = $1 WHERE store = $2 RETURNING store', [usedUntil, store]);
    },
    async snapshots(sandbox: string): Promise<readonly SnapshotRecord[]> {
      const rows = await read(
        `SELECT snapshot, store, snapshot_at FROM sandbox_stores
          WHERE sandbox = $1 AND snapshot IS NOT NULL ORDER BY snapshot`,
        [sandbox],
      );
      return rows.map(([number, store, at]) => ({
        number: Number(number),
        store: String(store),
        createdAt: Number(at),
      }));
    },
    keepSnapshot: async ({ number, store, createdAt }: SnapshotRecord) => {
      await write('UPDATE sandbox_stores SET snapshot = $1, snapshot_at = $2 WHERE store = $3 RETURNING store', [
        ...[number, createdAt, store],
      ]);
      // Another replica may have kept one under this number at the same time: then neither is kept.
      const same = await read(
        `SELECT count(*) FROM sandbox_stores WHERE snapshot = $1
          AND sandbox = (SELECT sandbox FROM sandbox_stores WHERE store = $2)`,
        [number, store],
      );
      if (countOf(same) < 2) return true;
      await write('UPDATE sandbox_stores SET snapshot = NULL WHERE store = $1 RETURNING store', [store]);
      return false;
    },

    /** Removes what ended before a time; resolves to how many there were. */
    removeEnded: async (before: number) =>
      (await write('DELETE FROM sandboxes WHERE expires_at <= $1 RETURNING id', [before])).length,
    /** Stores whose plants nobody needs any more. */
    unused: async (now: number, most: number) =>
      (await read(`SELECT store FROM sandbox_stores WHERE ${UNUSED} LIMIT $2`, [now, most])).map(([store]) =>
        String(store),
      ),
    async removeStore(store: string): Promise<void> {
      await write('DELETE FROM sandbox_stores WHERE store = $1 RETURNING store', [store]);
    },
  };
}

function recordOf(row: SqlRow | undefined): SandboxRecord | undefined {
  if (row === undefined) return undefined;
  const [id, hash, address, plants, store, createdAt, expiresAt, faults] = row;
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
