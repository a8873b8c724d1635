/** The tokens of an engine, by SQL that every engine understands. Tokens are few, rarely written, and never deleted. */
import type { TokenRecord, TokenStore } from '../auth/token.ts';
import type { SqlRow, SqlValue, Statements } from './engine.ts';

const INSERT = `INSERT INTO tokens (hash, name, store, scopes, created_at, expires_at, revoked_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7)`;
const SELECT = `SELECT hash, name, store, scopes, created_at, expires_at, revoked_at FROM tokens
    ORDER BY created_at, hash`;
const REVOKE = 'UPDATE tokens SET revoked_at = $1 WHERE (name = $2 OR hash = $2) AND revoked_at IS NULL RETURNING hash';
/**
 * New and revoked tokens increase the counts. A failover or a restore can lower them. The times distinguish that state
 * from a later one with the same counts.
 */
const REVISION = `SELECT count(*) + count(revoked_at) + coalesce(max(created_at), 0) + coalesce(max(revoked_at), 0)
    FROM tokens`;

/** `insertFirst`: inserts the row of a token if there is no token yet, also while other processes do the same. */
export function storedTokens(
  { read, write }: Statements,
  insertFirst: (row: readonly SqlValue[]) => Promise<unknown>,
): TokenStore {
  const list = async () => (await read(SELECT)).map(recordOf);
  return {
    async add(record) {
      await write(INSERT, rowOf(record));
    },
    async addFirst(record) {
      // Almost every start finds a token, and then need not wait for other processes' writes.
      if ((await list()).length > 0) return false;
      await insertFirst(rowOf(record));
      return (await list()).some(({ hash }) => hash === record.hash);
    },
    list,
    revoke: async (nameOrHash, at) => (await write(REVOKE, [at, nameOrHash])).length,
    revision: async () => (await read(REVISION))[0]?.[0] as bigint,
  };
}

function rowOf(record: TokenRecord): readonly SqlValue[] {
  const { hash, name, store, scopes, createdAt, expiresAt = null, revokedAt = null } = record;
  return [hash, name, store, scopes.join(' '), createdAt, expiresAt, revokedAt];
}

function recordOf(row: SqlRow): TokenRecord {
  const [hash, name, store, scopes, createdAt, expiresAt, revokedAt] = row;
  return {
    hash: hash as string,
    name: name as string,
    store: store as string,
    scopes: (scopes as string).split(' '),
    createdAt: Number(createdAt),
    expiresAt: expiresAt === null ? undefined : Number(expiresAt),
    revokedAt: revokedAt === null ? undefined : Number(revokedAt),
  };
}
