/** Converts a token to and from the row that both engines store. */
import type { TokenRecord } from '../auth/token.ts';

export const TOKEN_COLUMNS = 'hash, name, store, scopes, created_at, expires_at, revoked_at';

type TokenRow = readonly [string, string, string, string, number, number | null, number | null];

export function tokenRow(record: TokenRecord): TokenRow {
  const { hash, name, store, scopes, createdAt, expiresAt = null, revokedAt = null } = record;
  return [hash, name, store, scopes.join(' '), createdAt, expiresAt, revokedAt];
}

/** Accepts times as number or bigint. */
export function tokenRecord(row: readonly unknown[]): TokenRecord {
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
