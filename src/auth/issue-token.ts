/** Owns making a token: the secret, which is shown once, and the record, which is all that is kept of it. */
import { generateToken, hashToken } from './token.ts';
import type { TokenRecord } from './token-store.ts';

type TokenTerms = Pick<TokenRecord, 'store' | 'scopes' | 'createdAt' | 'expiresAt'> & {
  /** Undefined: named after its id. */
  readonly name: string | undefined;
};

export function issueToken(terms: TokenTerms): { readonly token: string; readonly record: TokenRecord } {
  const token = generateToken();
  const hash = hashToken(token);
  return { token, record: { ...terms, name: terms.name ?? `token-${tokenId(hash)}`, hash, revokedAt: undefined } };
}

/** What people call a token by: the first 48 bits of its hash, in hexadecimal, which no command line takes for a flag. */
export function tokenId(hash: string): string {
  return Buffer.from(hash, 'base64url').toString('hex', 0, 6);
}

const ID_SHAPE = /^[0-9a-f]{12}$/;
const NAME_SHAPE = /^[^\p{C}\p{Z}](?:[^\p{C}\p{Zl}\p{Zp}]{0,62}[^\p{C}\p{Z}])?$/u;

export const TOKEN_NAME_RULE = '1 to 64 printable characters that do not look like the id of a token';

/** A name is never taken for an id, so that what is revoked is what was meant. */
export function isTokenName(text: string): boolean {
  return NAME_SHAPE.test(text) && !ID_SHAPE.test(text) && !text.startsWith('pst_');
}

/** The state of a token at a time. A revoked token stays revoked, expired or not. */
export function tokenStatus(record: TokenRecord, at: number): 'active' | 'expired' | 'revoked' {
  if (record.revokedAt !== undefined) return 'revoked';
  return record.expiresAt === undefined || record.expiresAt > at ? 'active' : 'expired';
}
