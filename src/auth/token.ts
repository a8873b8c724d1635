/** Owns the format of opaque tokens: `pst_`, 30 random base62 characters, and their CRC32 as 6 more. */
import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX = 'pst_';
const RANDOM_LENGTH = 30;
const CHECKSUM_LENGTH = 6;
const SHAPE = new RegExp(`^${PREFIX}[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);
const JWT_SHAPE = /^[\w-]+\.[\w-]*\.[\w-]*$/;
const CHECKSUM_AT = PREFIX.length + RANDOM_LENGTH;

/** A new token of 178 random bits. The prefix and the checksum let secret scanners recognise it. */
export function generateToken(): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return PREFIX + random + checksum(random);
}

/** Whether a text can be a token: its checksum tells a typo without a look-up. */
export function isWellFormedToken(text: string): boolean {
  return SHAPE.test(text) && text.slice(CHECKSUM_AT) === checksum(text.slice(PREFIX.length, CHECKSUM_AT));
}

/** RFC 7515, section 7.1: a compact JWS is three base64url parts; no opaque token of ours has a dot. */
export function looksLikeJwt(text: string): boolean {
  return JWT_SHAPE.test(text);
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
