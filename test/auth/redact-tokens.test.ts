/** The function that takes tokens out of records and logs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redactTokens } from '../../src/auth/redact-tokens.ts';

const BODY = 'a1B2'.repeat(9);
const BEGINNINGS = [
  'pst_',
  'pss_',
  '%70ss_',
  'p%73s_',
  'ps%74_',
  'pst%5F',
  '%50%53%53%5f',
  '\\u0070ss_',
  'p\\u0073s\\u005F',
];

test('a token is redacted also if some of its characters are encoded', () => {
  for (const beginning of BEGINNINGS) {
    assert.equal(redactTokens(`/plants/${beginning}${BODY}/x`), '/plants/…/x', beginning);
    assert.equal(redactTokens(`"${beginning}${'%41'.repeat(36)}"`), '"…"', beginning);
    assert.equal(redactTokens(`/plants/${beginning}cut`), '/plants/…', beginning);
    assert.equal(redactTokens(`${beginning}cut… is unknown`), '…… is unknown', beginning);
  }
  assert.equal(redactTokens('?t=%65yJhbGciOiJIUzI1.eyJzdWIi.c2ln&x'), '?t=…&x');
  assert.equal(redactTokens('pst_short stays, and %70lants'), 'pst_short stays, and %70lants');
});
