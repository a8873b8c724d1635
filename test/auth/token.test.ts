/** The format of opaque tokens. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateToken, hashToken, isWellFormedToken } from '../../src/auth/token.ts';

test('tokens are pst_ and 36 base62 characters, well-formed, and never the same', () => {
  const tokens = Array.from({ length: 200 }, generateToken);
  for (const token of tokens) {
    assert.match(token, /^pst_[0-9A-Za-z]{36}$/);
    assert.ok(isWellFormedToken(token));
  }
  assert.equal(new Set(tokens).size, tokens.length);
});

test('one wrong character anywhere is noticed without a look-up', () => {
  const token = generateToken();
  for (let i = 0; i < token.length; i++) {
    const wrong = token[i] === 'x' ? 'y' : 'x';
    assert.equal(isWellFormedToken(token.slice(0, i) + wrong + token.slice(i + 1)), false);
  }
  for (const text of ['', token.slice(1), `${token}0`, token.toUpperCase()])
    assert.equal(isWellFormedToken(text), false);
});

test('what is kept of a token is its SHA-256', () => {
  assert.equal(hashToken('abc'), 'ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0');
});
