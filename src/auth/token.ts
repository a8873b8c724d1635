/** Opaque tokens: their format, what is kept of them, and what every engine that keeps them promises. */
import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { StoreName } from '../plants/plant.ts';

/** A token as it is kept: never the token itself. Times are milliseconds since 1970. */
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

/** Every method rejects with a StoreFailure when the engine cannot serve. */
export interface TokenStore {
  /** Keeps a token, durably. */
  add(record: TokenRecord): Promise<void>;
  /** Keeps a token, durably, if there is none yet; of several replicas that start at once exactly one is told true. */
  addFirst(record: TokenRecord): Promise<boolean>;
  /** Every token, revoked and expired ones too, oldest first. */
  list(): Promise<readonly TokenRecord[]>;
  /** Revokes the tokens of a name, or the one of a hash; resolves to how many it newly revoked. */
  revoke(nameOrHash: string, at: number): Promise<number>;
  /** A number that changes whenever a token is added or revoked, by whichever process; cheap to ask. */
  revision(): Promise<bigint>;
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX = 'pst_';
const RANDOM_LENGTH = 30;
const CHECKSUM_LENGTH = 6;
const SHAPE = new RegExp(`^${PREFIX}[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);
const CHECKSUM_AT = PREFIX.length + RANDOM_LENGTH;

/** A new token: `pst_` (or another prefix of four characters), 30 random base62 characters (178 bits), and their CRC32 as 6 more. The prefix and the checksum let secret scanners recognise it. */
export function generateToken(prefix = PREFIX): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return prefix + random + checksum(random);
}

/** Whether a text can be a token: its checksum tells a typo without a look-up. */
export function isWellFormedToken(text: string): boolean {
  return SHAPE.test(text) && text.slice(CHECKSUM_AT) === checksum(text.slice(PREFIX.length, CHECKSUM_AT));
}

/** RFC 7515, section 7.1: a compact JWS is three base64url parts; no opaque token of ours has a dot. */
export function looksLikeJwt(text: string): boolean {
  return /^[\w-]+\.[\w-]*\.[\w-]*$/.test(text);
}

/** What is kept of a token: its SHA-256. 178 random bits need no salt and no slow hash. */
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

/** Makes a token, named after its id unless given a name: the secret, which is shown once, and the record that is kept. */
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
