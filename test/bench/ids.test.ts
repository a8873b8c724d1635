import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomId, randomInt64 } from '../../bench/ids.ts';

const COUNT = 100_000;

test('random ids are all different, and exact as JavaScript numbers', () => {
  const ids = Array.from({ length: COUNT }, (_, index) => randomId(index));
  assert.equal(new Set(ids).size, COUNT);
  assert.ok(ids.every((id) => Number.isSafeInteger(id) && id >= 0));
});

test('random int64 ids are all different, spread over the whole range', () => {
  const ids = Array.from({ length: COUNT }, (_, index) => randomInt64(index));
  assert.equal(new Set(ids).size, COUNT);
  assert.ok(ids.every((id) => BigInt.asIntN(64, id) === id));
  for (const [low, high] of [
    [-(2n ** 63n), -(2n ** 62n)],
    [2n ** 62n, 2n ** 63n],
  ] as const) {
    const share = ids.filter((id) => id >= low && id < high).length / COUNT;
    assert.ok(Math.abs(share - 0.25) < 0.01, `${share} of the ids lie from ${low} to ${high}`);
  }
});
