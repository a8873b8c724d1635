import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateToken, hashToken, isWellFormedToken, tokenId } from '../../src/auth/token.ts';
import { startTestService } from '../harness/service.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const pick = (text: string) => text[Math.floor(Math.random() * text.length)] as string;

/**
 * Returns tokens similar to a valid one: characters are changed, swapped, dropped or doubled, some with a right
 * checksum.
 */
function nearMiss(token: string): string {
  const at = 4 + Math.floor(Math.random() * (token.length - 4));
  const digit = pick(ALPHABET.replace(token[at] as string, ''));
  const kinds = [
    () => token.slice(0, at) + digit + token.slice(at + 1),
    () => token.slice(0, at) + token.slice(at + 1),
    () => token.slice(0, at) + digit + token.slice(at),
    () => token.slice(0, at),
    () => token + digit,
    () => `${token}=`,
    () => token.replace('pst_', 'PST_'),
    () => token.slice(4),
    () => token.split('').reverse().join(''),
    // The beginning is right, and the token is well-formed.
    () => withRightChecksum(token, Math.min(at, 32)),
  ];
  return (kinds[Math.floor(Math.random() * kinds.length)] as () => string)();
}

/** Joins the first characters of a token and the rest of another, with a right checksum. */
function withRightChecksum(token: string, kept: number): string {
  const random = token.slice(0, kept) + generateToken().slice(kept, 34);
  return random + checksumOf(random.slice(4));
}

/** Independent of the tested code: CRC-32 (reflected, 0xEDB88320) in six base62 digits. */
function checksumOf(text: string): string {
  let crc = 0xffffffff;
  for (const char of text) {
    crc ^= char.charCodeAt(0);
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  let rest = (crc ^ 0xffffffff) >>> 0;
  let digits = '';
  for (let i = 0; i < 6; i++) {
    digits = ALPHABET[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

test('none of 10,000 random and similar tokens is accepted, and all get the same response', async () => {
  await using service = await startTestService();
  const { token } = service.client;
  const responses = new Set<string>();
  let wellFormed = 0;
  const tokens = Array.from({ length: 10_000 }, (_, i) => (i % 4 === 0 ? generateToken() : nearMiss(token))).filter(
    (one) => one !== token,
  );
  assert.ok(tokens.length > 9_900);
  for (let i = 0; i < tokens.length; i += 100) {
    await Promise.all(
      tokens.slice(i, i + 100).map(async (one) => {
        if (isWellFormedToken(one)) wellFormed += 1;
        const response = await service.client.send('GET', '/plants', { token: one });
        responses.add(`${response.status} ${response.text} ${response.headers['www-authenticate']}`);
      }),
    );
  }
  assert.ok(wellFormed > 2_500, `only ${wellFormed} were well-formed`);
  assert.deepEqual(
    [...responses],
    [
      '401 {"error":40101,"message":"The token is not valid: it is unknown, revoked or malformed. ' +
        'Create one with `plantstore token create`."} Bearer realm="plant-store", error="invalid_token"',
    ],
  );
});

test('the log distinguishes absent, unknown, mistyped, revoked and expired tokens, by their ids', async () => {
  await using service = await startTestService({ accessLog: true });
  const expired = await service.as({ expiresAt: Date.now() - 1 });
  const revoked = await service.as({});
  await service.engine.tokens.revoke(hashToken(revoked.token), Date.now());
  await service.running.refreshTokens();
  const idOf = ({ token }: { token: string }) => tokenId(hashToken(token));
  for (const [token, why] of [
    [generateToken(), 'it is unknown'],
    [`${service.client.token.slice(0, -1)}-`, 'its length or its checksum is wrong'],
    [revoked.token, `the token ${idOf(revoked)} is revoked`],
    [expired.token, `the token ${idOf(expired)} has expired`],
    ['a.b.c', 'it is a JWT, and --jwt-issuer is not set'],
    ['', 'there is no token after Bearer'],
    [null, 'there is no Authorization field'],
  ] as const) {
    await service.client.send('GET', '/plants', { token });
    const line = service.log().trimEnd().split('\n').at(-1) ?? '';
    assert.equal(JSON.parse(line).why, why);
  }
});
