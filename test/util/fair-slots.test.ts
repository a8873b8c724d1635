import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { FairSlots } from '../../src/util/fair-slots.ts';

const NEVER = new AbortController().signal;

/** Runs pieces that end when the test says so. */
function start(slots: FairSlots) {
  const ends = new Map<string, () => void>();
  const all: Promise<void>[] = [];
  return {
    run(key: string, name: string) {
      all.push(slots.run(key, () => new Promise<void>((resolve) => void ends.set(name, resolve)), NEVER));
    },
    end: (name: string) => ends.get(name)?.(),
    async hasBegun(names: readonly string[]) {
      for (let turn = 0; turn < 5; turn++) await nextTurn();
      assert.deepEqual([...ends.keys()], names);
    },
    async endAll() {
      for (const end of ends.values()) end();
      await Promise.all(all);
    },
  };
}

test('a slot that becomes free goes to the next key', async () => {
  const { run, end, hasBegun, endAll } = start(new FairSlots({ all: 2, each: 2 }));
  run('a', 'a1');
  run('a', 'a2');
  run('a', 'a3');
  run('a', 'a4');
  run('b', 'b1');
  await hasBegun(['a1', 'a2']);
  end('a1');
  await hasBegun(['a1', 'a2', 'a3']);
  end('a2');
  await hasBegun(['a1', 'a2', 'a3', 'b1']);
  end('b1');
  await hasBegun(['a1', 'a2', 'a3', 'b1', 'a4']);
  await endAll();
});

test('one key has only its part of the slots, and another key begins immediately', async () => {
  const { run, end, hasBegun, endAll } = start(new FairSlots({ all: 4, each: 2 }));
  for (const name of ['a1', 'a2', 'a3']) run('a', name);
  await hasBegun(['a1', 'a2']);
  run('b', 'b1');
  await hasBegun(['a1', 'a2', 'b1']);
  end('a2');
  await hasBegun(['a1', 'a2', 'b1', 'a3']);
  await endAll();
});

test('a piece whose signal is aborted no longer waits for its turn, and takes no slot', async () => {
  const slots = new FairSlots({ all: 1, each: 1 });
  const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
  const held = slots.run('a', () => finished, NEVER);
  const left = new AbortController();
  const isAborted = async () => left.signal.aborted;
  const waiting = slots.run('a', isAborted, left.signal);
  const other = slots.run('b', isAborted, NEVER);
  left.abort();
  assert.equal(await waiting, true);
  assert.equal(await slots.run('a', isAborted, left.signal), true);
  finish();
  await held;
  assert.equal(await other, true);
});

test('a piece that rests gives its slot to the next key, and takes the next turn afterwards', async () => {
  const slots = new FairSlots({ all: 1, each: 1 });
  const { promise: wait, resolve: wake } = Promise.withResolvers<void>();
  const steps: string[] = [];
  const late = slots.run(
    'a',
    async (rest) => {
      steps.push('late begins');
      await rest(() => wait);
      steps.push('late goes on');
    },
    NEVER,
  );
  const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
  const other = slots.run('b', () => finished.then(() => void steps.push('other ends')), NEVER);
  wake();
  for (let turn = 0; turn < 5; turn++) await nextTurn();
  assert.deepEqual(steps, ['late begins']);
  finish();
  await Promise.all([late, other]);
  assert.deepEqual(steps, ['late begins', 'other ends', 'late goes on']);
  // Its slot is free again.
  await slots.run('c', async () => {}, NEVER);
});

test('a piece whose signal is aborted while it rests waits for no turn, and frees no slot of others', async () => {
  const slots = new FairSlots({ all: 1, each: 1 });
  const ending = new AbortController();
  const { promise: wait, resolve: wake } = Promise.withResolvers<void>();
  const late = slots.run('a', (rest) => rest(() => wait), ending.signal);
  const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
  const other = slots.run('b', () => finished, NEVER);
  ending.abort();
  wake();
  await late;
  let hasBegun = false;
  const last = slots.run(
    'c',
    async () => {
      hasBegun = true;
    },
    NEVER,
  );
  for (let turn = 0; turn < 5; turn++) await nextTurn();
  assert.equal(hasBegun, false);
  finish();
  await Promise.all([other, last]);
});
