/** The sum of a tester's own run, in a sentence. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sumOf } from '../../commands/sum.ts';

const of = (outcome: Parameters<typeof sumOf>[0][number]['outcome'], count: number) =>
  Array.from({ length: count }, () => ({ outcome }));

test('the sum has each result that occurs, and always the best one that is possible', () => {
  const once = [...of('noticed', 11), ...of('missed', 10), ...of('not triggered', 62)];
  assert.equal(sumOf(once, 1), '11 of 83 defects noticed, 10 missed, 62 not triggered');
  assert.equal(sumOf([...of('found', 2), ...of('noticed', 1)], 5), '2 of 3 defects found, 1 noticed');
  assert.equal(sumOf(of('not judged', 4), 5), '0 of 4 defects found, 4 not judged');
  assert.equal(sumOf(of('missed', 4), 1), '0 of 4 defects noticed, 4 missed');
});
