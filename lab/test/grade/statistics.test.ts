/** Tests and intervals, compared with published values and with SciPy 1.16 and statsmodels 0.14. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mannWhitney } from '../../commands/mann-whitney.ts';
import { fisher, fisherTwoSided, significant, wilson } from '../../grade/statistics.ts';

function near(value: number, expected: number): void {
  assert.ok(Math.abs(value - expected) <= 1e-9 * Math.abs(expected) + 1e-15, `${value} is not ${expected}`);
}

test("Fisher's exact test of the lady tasting tea is 17/70", () => {
  near(fisher({ runs: 3, of: 4 }, { runs: 1, of: 4 }), 17 / 70);
  near(fisherTwoSided({ runs: 3, of: 4 }, { runs: 1, of: 4 }), 34 / 70);
});

test("Fisher's exact test agrees with SciPy, also for thousands of runs", () => {
  near(fisher({ runs: 5, of: 5 }, { runs: 0, of: 15 }), 6.449948400412796e-5);
  near(fisher({ runs: 4, of: 5 }, { runs: 2, of: 15 }), 0.013931888544891639);
  near(fisher({ runs: 50, of: 100 }, { runs: 400, of: 7_400 }), 3.774875755962866e-35);
  near(fisher({ runs: 0, of: 5 }, { runs: 3, of: 15 }), 1);
  near(fisherTwoSided({ runs: 0, of: 5 }, { runs: 5, of: 5 }), 2 / 252);
});

test('Wilson intervals agree with statsmodels', () => {
  for (const [runs, of, low, high] of [
    [5, 5, 0.5655175352168252, 1],
    [0, 5, 0, 0.43448246478317487],
    [3, 10, 0.10779126740630104, 0.6032218525388546],
  ] as const) {
    const [from, to] = wilson({ runs, of });
    near(from, low);
    near(to, high);
  }
});

test('the example of Benjamini and Hochberg (1995) has four significant values, in any order', () => {
  const values = [
    0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.324, 0.4262, 0.5719, 0.6528,
  ];
  const all = [...values, 0.759, 1];
  assert.deepEqual(
    all.filter((_, i) => significant(all, 0.05)[i]),
    all.slice(0, 4),
  );
  const reversed = all.toReversed();
  assert.deepEqual(
    reversed.filter((_, i) => significant(reversed, 0.05)[i]),
    reversed.slice(-4),
  );
  assert.deepEqual(significant([], 0.05), []);
  // A value that is too large for its own rank is accepted if a larger one is small enough.
  assert.deepEqual(significant([0.04, 0.045], 0.05), [true, true]);
});

test('the Mann-Whitney test agrees with SciPy, and with counting all permutations where values are equal', () => {
  const { u, a12, p } = mannWhitney([19, 22, 16, 29, 24], [20, 11, 17, 12]);
  assert.deepEqual([u, a12], [17, 0.85]);
  near(p, 1 / 9);
  const ties = mannWhitney([1, 2, 2, 3, 3], [3, 3, 4, 5, 5]);
  assert.deepEqual([ties.u, ties.a12], [2, 0.08]);
  near(ties.p, 12 / 252);
});

test('equal samples have the effect size 0.5 and no significant difference', () => {
  const { a12, p } = mannWhitney([3, 3, 3], [3, 3, 3]);
  assert.deepEqual([a12, p], [0.5, 1]);
  assert.equal(mannWhitney([3], [7]).p, 1);
});
