import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { createBatcher } from '../../src/stores/batcher.ts';

interface Commit {
  readonly batch: readonly string[];
  readonly deadline: number;
  end(results: readonly string[]): void;
}

/** A batcher of texts. The test decides when its commits end. */
function createStage(options: { maxBatch?: number; maxWaiting?: number; lanes?: number; keyed?: boolean } = {}) {
  const { maxBatch = 100, maxWaiting = 100, lanes = 1, keyed = false } = options;
  const commits: Commit[] = [];
  const told: number[] = [];
  const batcher = createBatcher<string, string>({
    commit(batch, deadline) {
      const { promise, resolve } = Promise.withResolvers<readonly string[]>();
      commits.push({ batch, deadline, end: resolve });
      return promise;
    },
    ...(keyed && { keyOf: (write: string) => write.charAt(0) }),
    maxBatch,
    maxWaiting,
    lanes,
    timeout: 1_000,
    onCommit: (writes) => told.push(writes),
  });
  /** Resolves to the commit with this number when it has begun. */
  const begun = async (number: number): Promise<Commit> => {
    for (;;) {
      const commit = commits[number];
      if (commit !== undefined) return commit;
      await turn();
    }
  };
  return { batcher, commits, told, begun };
}

test('writes that arrive during a commit share the next commit, and each gets its own result', async () => {
  const { batcher, begun, told } = createStage({ maxBatch: 3 });
  const first = batcher.add('a');
  const one = await begun(0);
  const others = ['b', 'c', 'd', 'e'].map((write) => batcher.add(write));
  assert.deepEqual([one.batch, batcher.length()], [['a'], 5]);
  one.end(['A']);
  const two = await begun(1);
  assert.deepEqual(two.batch, ['b', 'c', 'd']);
  two.end(['B', 'C', 'D']);
  (await begun(2)).end(['E']);
  assert.deepEqual(await Promise.all([first, ...others]), ['A', 'B', 'C', 'D', 'E']);
  assert.deepEqual([told, batcher.length()], [[1, 3, 1], 0]);
  await batcher.idle();
});

test('a batch stops gathering soon, even if every turn of the event loop adds a write', async () => {
  const { batcher, commits } = createStage({ maxWaiting: 1_000_000, maxBatch: 1_000_000 });
  const began = performance.now();
  while (commits.length === 0) {
    void batcher.add('a');
    await turn();
  }
  assert.ok(performance.now() - began < 500);
});

test('a batch has one key and the deadline of its oldest write, and lanes commit at the same time', async () => {
  const { batcher, begun, commits } = createStage({ keyed: true, lanes: 2 });
  const began = performance.now();
  void batcher.add('a1');
  await begun(0);
  void batcher.add('b1');
  const two = await begun(1);
  assert.ok(two.deadline >= began + 1_000);
  void batcher.add('b2');
  const added = performance.now();
  await sleep(20);
  for (const write of ['a2', 'b3']) void batcher.add(write);
  assert.equal(commits.length, 2);
  two.end(['B1']);
  const three = await begun(2);
  assert.deepEqual(three.batch, ['b2', 'b3']);
  assert.ok(three.deadline <= added + 1_000, 'the deadline of b2, not of b3');
  three.end(['B2', 'B3']);
  assert.deepEqual((await begun(3)).batch, ['a2']);
});
