import assert from 'node:assert/strict';
import { test } from 'node:test';
import { median, ratios, slope, spread } from '../../bench/statistics.ts';

test('the median is the middle one, and of an even number the mean of the two in the middle', () => {
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([4, 1, 3, 2]), 2.5);
  assert.equal(median([]), undefined);
});

test('the spread goes from the lowest to the highest', () => {
  assert.deepEqual(spread([5, 1, 3]), { median: 3, low: 1, high: 5 });
  assert.equal(spread([]), undefined);
});

test('ratios are of the same round; a round that lacks one of the two does not count', () => {
  const first = new Map([
    [1, 10],
    [2, 30],
    [3, 50],
  ]);
  const second = new Map([
    [1, 5],
    [3, 10],
  ]);
  assert.deepEqual(ratios(first, second), [2, 5]);
});

test('the slope is that of the line that fits best', () => {
  const points = [
    { x: 1, y: 10 },
    { x: 2, y: 12 },
    { x: 3, y: 14 },
  ];
  assert.equal(slope(points), 2);
});
