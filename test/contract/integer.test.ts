/** Which integer a number's text means. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { integerOf, integerOfParameter } from '../../src/contract/integer.ts';

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });

test('every int64 is itself, in plain notation, with a fraction of zero and with any exponent', () => {
  fc.assert(
    fc.property(int64, fc.integer({ min: 0, max: 40 }), (value, zeros) => {
      assert.equal(integerOf(`${value}`), value);
      assert.equal(integerOf(`${value}.${'0'.repeat(zeros + 1)}`), value);
      assert.equal(integerOf(`${value}${'0'.repeat(zeros)}e-${zeros}`), value);
      assert.equal(integerOfParameter(`${value}`), value);
    }),
  );
});

test('a fraction is no integer, however small', () => {
  fc.assert(
    fc.property(int64, fc.integer({ min: 0, max: 60 }), (value, zeros) => {
      assert.equal(integerOf(`${value}.${'0'.repeat(zeros)}1`), undefined);
    }),
  );
});

test('huge exponents neither deceive nor delay', () => {
  for (const text of ['1e400', '1e999999999', '1e-999999999', '1e-1', `1e${'9'.repeat(400)}`]) {
    assert.equal(integerOf(text), undefined, text);
  }
  for (const text of ['0e999999999', '-0', '0.0e-5']) assert.equal(integerOf(text), 0n, text);
});

test('millions of zeros neither deceive nor delay, wherever they stand', () => {
  const zeros = '0'.repeat(5_000_000);
  // Were the time quadratic, these would not come back within hours.
  for (const text of [`1.${zeros}1`, `1${zeros}1`, `1${zeros}`, `0.${zeros}1`]) {
    assert.equal(integerOf(text), undefined);
  }
  for (const text of [`1.${zeros}`, `${zeros}1`, `0.${zeros}1e5000001`]) assert.equal(integerOf(text), 1n);
});

test('a parameter is written in one way only', () => {
  for (const text of ['+1', '01', '-0', '-01', '1.0', '1e1', '', '-', ' 1', '1 ', '0x1', '١', '9'.repeat(21)]) {
    assert.equal(integerOfParameter(text), undefined, text);
  }
});
