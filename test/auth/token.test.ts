/** Tests the format of opaque tokens and of their names. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateToken, hashToken, isTokenName, isWellFormedToken, type TokenRecord } from '../../src/auth/token.ts';
import { startTestService } from '../harness/service.ts';

test('tokens are pst_ and 36 base62 characters, well-formed and unique', () => {
  const tokens = Array.from({ length: 200 }, generateToken);
  for (const token of tokens) {
    assert.match(token, /^pst_[0-9A-Za-z]{36}$/);
    assert.ok(isWellFormedToken(token));
  }
  assert.equal(new Set(tokens).size, tokens.length);
});

test('one wrong character is noticed without a look-up', () => {
  const token = generateToken();
  for (let i = 0; i < token.length; i++) {
    const wrong = token[i] === 'x' ? 'y' : 'x';
    assert.equal(isWellFormedToken(token.slice(0, i) + wrong + token.slice(i + 1)), false);
  }
  for (const text of ['', token.slice(1), `${token}0`, token.toUpperCase()])
    assert.equal(isWellFormedToken(text), false);
});

test('a name has 1 to 64 printable characters and looks like neither an id nor a token', () => {
  for (const name of ['a', 'a b', '1', 'x'.repeat(64), '🌱'.repeat(64)]) assert.ok(isTokenName(name), name);
  for (const name of ['', ' a', 'a ', 'a\nb', 'x'.repeat(65), '0123456789ab', generateToken()]) {
    assert.equal(isTokenName(name), false, name);
  }
});

test('only the SHA-256 of a token is stored', () => {
  assert.equal(hashToken('abc'), 'ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0');
});

test('a token store lists tokens by age, revokes by name or hash, and changes its revision each time', async () => {
  await using service = await startTestService();
  const { tokens } = service.engine;
  const record = (name: string, hash: string, createdAt: number): TokenRecord => ({
    name,
    hash: hash.repeat(43),
    store: 'other',
    scopes: ['plants:read', 'plants:write'],
    createdAt,
    expiresAt: undefined,
    revokedAt: undefined,
  });
  const list = async () => (await tokens.list()).filter(({ store }) => store === 'other');
  const revisions = new Set([await tokens.revision()]);
  const [first, second, third] = [record('two', 'b', 1), record('two', 'c', 1), record('one', 'a', 2)];
  for (const one of [third, second, { ...first, expiresAt: 9 }]) {
    await tokens.add(one);
    revisions.add(await tokens.revision());
  }
  assert.deepEqual(await list(), [{ ...first, expiresAt: 9 }, second, third]);
  assert.equal(await tokens.addFirst(record('first', 'd', 3)), false);
  assert.equal(await tokens.revoke('two', 7), 2);
  revisions.add(await tokens.revision());
  assert.equal(await tokens.revoke(third.hash, 7), 1);
  revisions.add(await tokens.revision());
  assert.equal(await tokens.revoke('two', 8), 0);
  assert.equal(revisions.size, 6);
  const revoked = [{ ...first, expiresAt: 9 }, second, third].map((one) => ({ ...one, revokedAt: 7 }));
  assert.deepEqual(await list(), revoked);
});
