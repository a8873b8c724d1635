/** Which runs a grading has, and in which order. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFECTS } from '../../defects/index.ts';
import { planOf } from '../../grade/plan.ts';

const defects = DEFECTS.slice(0, 10);
const plan = (seeds: number, controls: number, order = 1) => planOf({ defects, controls, seeds, order });
const controlsOf = (runs: ReturnType<typeof planOf>) => runs.filter(({ defect }) => defect === undefined);

test('there are at least three controls, and at least as many as runs with a defect', () => {
  const counts = [plan(1, 1), plan(1, 7), plan(5, 3)].map((runs) => [controlsOf(runs).length, runs.length]);
  assert.deepEqual(counts, [
    [3, 13],
    [7, 17],
    [5, 55],
  ]);
});

test('no two runs have the same seed or name', () => {
  const runs = plan(3, 3);
  assert.equal(new Set(runs.map(({ seed }) => seed)).size, 33);
  assert.equal(new Set(runs.map(({ name }) => name)).size, 33);
  for (const { name, seed } of runs) assert.equal(name, `run-${String(seed).padStart(2, '0')}`);
});

test('the order is random but can be repeated, and begins with a control', () => {
  assert.deepEqual(plan(3, 3, 7), plan(3, 3, 7));
  const namesOf = (order: number) => plan(1, 3, order).map(({ defect }) => defect?.name);
  assert.notDeepEqual(namesOf(1), namesOf(2));
  for (let order = 0; order < 20; order++) assert.equal(namesOf(order)[0], undefined);
});

test('the number of the first run does not reveal that it is a control', () => {
  const numbers = new Set(Array.from({ length: 50 }, (_, order) => plan(1, 3, order)[0]?.seed));
  assert.ok(numbers.size > 5, [...numbers].join());
});
