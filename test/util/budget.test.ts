/** A budget reserves at every level or not at all, and releases what it has reserved. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Budget } from '../../src/util/budget.ts';
import { createRandom } from '../../src/util/random.ts';

const holder = (sandbox: string, address: string) => ({ sandbox, address });

test('a budget returns the first level without room, in the order of the limits', () => {
  const budget = new Budget({ sandbox: 2, address: 3, all: 4 });
  assert.equal(budget.reserve(holder('s1', 'a1'), 2), undefined);
  assert.equal(budget.reserve(holder('s1', 'a1'), 9), 'sandbox');
  assert.equal(budget.reserve(holder('s2', 'a1'), 2), 'address');
  assert.equal(budget.reserve(holder('s2', 'a1'), 1), undefined);
  assert.equal(budget.reserve(holder('s3', 'a2'), 2), 'all');
  assert.equal(budget.reserve(holder('s3', 'a2'), 1), undefined);
  assert.equal(budget.all, 4);
});

test('an amount that is refused is reserved at no level', () => {
  const budget = new Budget({ sandbox: 5, address: 5, all: 1 });
  assert.equal(budget.reserve(holder('s1', 'a1'), 2), 'all');
  assert.equal(budget.all, 0);
  // At most one of the five that the sandbox and the address may hold is in use.
  assert.equal(budget.reserve(holder('s1', 'a1'), 1), undefined);
  budget.release(holder('s1', 'a1'), 1);
  assert.equal(budget.reserve(holder('s1', 'a1'), 6), 'sandbox');
  assert.equal(budget.reserve(holder('s1', 'a1'), 5), 'all');
});

test('equal keys of two levels are counted apart', () => {
  const budget = new Budget({ sandbox: 1, address: 1, all: 9 });
  assert.equal(budget.reserve(holder('same', 'one'), 1), undefined);
  assert.equal(budget.reserve(holder('other', 'same'), 1), undefined);
});

test('a budget of one amount for all has no keys', () => {
  const budget = new Budget({ all: 10 });
  assert.equal(budget.reserve({}, 10), undefined);
  assert.equal(budget.reserve({}, 1), 'all');
  budget.release({}, 4);
  assert.equal(budget.reserve({}, 4), undefined);
});

test('no sum exceeds its limit, and all sums are exact after many reservations and releases', () => {
  const limits = { sandbox: 20, address: 50, all: 120 };
  const budget = new Budget(limits);
  const random = createRandom(1);
  const below = (most: number) => Math.floor(random() * most);
  let held: { sandbox: string; address: string; amount: number }[] = [];
  const sumOf = (level: 'sandbox' | 'address', key: string) =>
    held.reduce((sum, one) => sum + (one[level] === key ? one.amount : 0), 0);
  const all = () => held.reduce((sum, { amount }) => sum + amount, 0);
  const seen = new Set<string | undefined>();
  for (let i = 0; i < 10_000; i++) {
    const one = { sandbox: `s${below(12)}`, address: `a${below(4)}`, amount: below(10) };
    const fits = {
      sandbox: sumOf('sandbox', one.sandbox) + one.amount <= limits.sandbox,
      address: sumOf('address', one.address) + one.amount <= limits.address,
      all: all() + one.amount <= limits.all,
    };
    const expected = (['sandbox', 'address', 'all'] as const).find((level) => !fits[level]);
    const full = budget.reserve(one, one.amount);
    assert.equal(full, expected);
    seen.add(full);
    if (full === undefined) held.push(one);
    if (below(4) === 0) {
      const [ended, kept] = [held.slice(0, 3), held.slice(3)];
      for (const each of ended) budget.release(each, each.amount);
      held = kept;
    }
    assert.equal(budget.all, all());
  }
  assert.equal(seen.size, 4);
});
