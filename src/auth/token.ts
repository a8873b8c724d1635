/** The format of opaque tokens, their records, and the interface of the stores for these records. */
import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { StoreName } from '../plants/plant.ts';

/** The record of a token, without the token itself. Times are milliseconds since 1970. */
export interface TokenRecord {
  /** SHA-256 of the token, base64url. */
  readonly hash: string;
  readonly name: string;
  readonly store: StoreName;
  readonly scopes: readonly string[];
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
  readonly revokedAt: number | undefined;
}

/** Every method rejects with a StoreFailure if the engine cannot serve. */
export interface TokenStore {
  add(record: TokenRecord): Promise<void>;
  /** Stores a token durably if there is none yet. Resolves to true for only one of several replicas. */
  addFirst(record: TokenRecord): Promise<boolean>;
  /** Lists every token, oldest first, including revoked and expired tokens. */
  list(): Promise<readonly TokenRecord[]>;
  /** Revokes the tokens with a name or a hash. Resolves to the number of tokens that were not revoked before. */
  revoke(nameOrHash: string, at: number): Promise<number>;
  /** Reads a number that changes when any process adds or revokes a token. This is cheap. */
  revision(): Promise<bigint>;
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX = 'pst_';
const RANDOM_LENGTH = 30;
const CHECKSUM_LENGTH = 6;
const SHAPE = new RegExp(`^[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);

/**
 * Generates a token: `pst_` (or another prefix of four characters), 30 random base62 characters (178 bits), and their
 * CRC32 as 6 more. Secret scanners recognise the prefix and the checksum.
 */
export function generateToken(prefix = PREFIX): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return prefix + random + checksum(random);
}

/** Whether a text can be a token with this prefix. The checksum detects typos without a look-up. */
export function isWellFormedToken(text: string, prefix = PREFIX): boolean {
  if (!text.startsWith(prefix)) return false;
  const rest = text.slice(prefix.length);
  return SHAPE.test(rest) && rest.slice(RANDOM_LENGTH) === checksum(rest.slice(0, RANDOM_LENGTH));
}

/** Whether a text can only be meant as one of our tokens, even if it is not well-formed. */
export const looksOpaque = (text: string): boolean => text.startsWith(PREFIX);

/** RFC 7515, section 7.1: a compact JWS has three base64url parts. Our opaque tokens contain no dot. */
export function looksLikeJwt(text: string): boolean {
  return /^[\w-]+\.[\w-]*\.[\w-]*$/.test(text);
}

/** Computes the SHA-256 of a token. 178 random bits need no salt and no slow hash. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'base64url');
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = ALPHABET[rest % ALPHABET.length] + digits;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return digits;
}

type TokenTerms = Omit<TokenRecord, 'hash' | 'name' | 'revokedAt'> & { readonly name: string | undefined };

/** Creates a token and its record. Default of the name: the token's id. */
export function issueToken(terms: TokenTerms): { readonly token: string; readonly record: TokenRecord } {
  const token = generateToken();
  const hash = hashToken(token);
  return { token, record: { ...terms, name: terms.name ?? `token-${tokenId(hash)}`, hash, revokedAt: undefined } };
}

/** Returns the id that people use: the first 48 bits of the hash in hexadecimal. It never looks like an option. */
export function tokenId(hash: string): string {
  return Buffer.from(hash, 'base64url').toString('hex', 0, 6);
}

const ID_SHAPE = /^[0-9a-f]{12}$/;
const NAME_SHAPE = /^[^\p{C}\p{Z}](?:[^\p{C}\p{Zl}\p{Zp}]{0,62}[^\p{C}\p{Z}])?$/u;

export const TOKEN_NAME_RULE = '1 to 64 printable characters that do not look like the id of a token';

/** A name never looks like an id, so that a revocation never hits another token. */
export function isTokenName(text: string): boolean {
  return NAME_SHAPE.test(text) && !ID_SHAPE.test(text) && !looksOpaque(text);
}

/** The state of a token at a time. A revoked token is `revoked` even after it has expired. */
export function tokenStatus(
  record: Pick<TokenRecord, 'expiresAt' | 'revokedAt'>,
  at: number,
): 'active' | 'expired' | 'revoked' {
  if (record.revokedAt !== undefined) return 'revoked';
  return record.expiresAt === undefined || record.expiresAt > at ? 'active' : 'expired';
}
