import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { FairShare } from '../../src/util/fair-share.ts';

test('the keys take turns, and each key keeps its order', async () => {
  const fair = new FairShare({ share: 1, slice: Number.POSITIVE_INFINITY });
  const ran: string[] = [];
  const run = (key: string, name: string) => fair.run(key, async () => ran.push(name));
  await Promise.all([run('a', 'a1'), run('a', 'a2'), run('a', 'a3'), run('b', 'b1'), run('b', 'b2'), run('c', 'c1')]);
  assert.deepEqual(ran, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
});

test('a piece that was removed does not run', async () => {
  const fair = new FairShare({ share: 1 });
  const ran: string[] = [];
  const remove = fair.add('a', () => ran.push('removed'));
  const kept = fair.run('a', async () => ran.push('kept'));
  remove();
  await kept;
  assert.deepEqual(ran, ['kept']);
});

test('a piece begins after the promise of the piece before it, also if that fails', async () => {
  const fair = new FairShare({ share: 1, slice: 0 });
  const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
  const ran: string[] = [];
  const first = fair.run('a', async () => {
    await finished;
    ran.push('first');
    throw new Error('failed');
  });
  const second = fair.run('b', async () => ran.push('second'));
  for (let turn = 0; turn < 10; turn++) await nextTurn();
  assert.deepEqual(ran, []);
  finish();
  await assert.rejects(first, /failed/);
  await second;
  assert.deepEqual(ran, ['first', 'second']);
});

test('a piece is free until the slice of a turn of the event loop is used up, and while no piece waits', async () => {
  const fair = new FairShare({ share: 1, slice: 1 });
  const now = performance.now();
  assert.deepEqual(
    [0, 0.5, 1].map((later) => fair.isFree(now + later)),
    [true, true, false],
  );
  await nextTurn();
  assert.equal(fair.isFree(now + 2), true);
  const waiting = fair.run('a', async () => undefined);
  await nextTurn();
  assert.equal(fair.isFree(now + 4), false);
  await waiting;
  while (!fair.isFree(performance.now())) await nextTurn();
});

test('a key that has barely used its share need not wait for the pause of another key', async () => {
  const fair = new FairShare({ share: 1 / 10 });
  const ran: string[] = [];
  // If the machine is busy, the pause can end, or become too long, before b1 has had a chance.
  for (let round = 0; round < 50 && !ran.join().includes('a1,b1,a2'); round++) {
    let other: Promise<unknown> | undefined;
    const first = fair.run('a', async () => {
      spin(2);
      ran.push('a1');
      other = fair.run('b', async () => ran.push('b1'));
    });
    await Promise.all([first, fair.run('a', async () => ran.push('a2'))]);
    await other;
  }
  assert.match(ran.join(), /a1,b1,a2/);
});

test('a key waits for the rest of a long pause, so that many keys cannot defer it', async () => {
  const fair = new FairShare({ share: 1 / 31 });
  let ended = 0;
  let began = 0;
  let other: Promise<unknown> | undefined;
  await fair.run('a', async () => {
    spin(10);
    other = fair.run('b', async () => {
      began = performance.now();
    });
    ended = performance.now();
  });
  await other;
  // The pause takes at least 300 ms. Only its last 100 ms can be deferred.
  assert.ok(began - ended >= 190, `${began - ended}`);
});

test('a key that has used its slice waits for the end of the pause', async () => {
  const fair = new FairShare({ share: 1 / 31 });
  const times: number[] = [];
  const work = async () => {
    times.push(performance.now());
    spin(3);
  };
  await Promise.all([fair.run('a', work), fair.run('a', work)]);
  const [first = 0, second = 0] = times;
  assert.ok(second - first >= 90, `${second - first}`);
});

/** Keeps the event loop busy. */
function spin(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

test('a pause that ends before it begins is no timer with a negative time', async () => {
  // In a process of its own, since the tests of a process share its clock. Node reports a warning on standard error.
  const code = `
    import { FairShare } from ${JSON.stringify(import.meta.resolve('../../src/util/fair-share.ts'))};
    let time = 0;
    performance.now = () => (time += 2);
    for (const share of [0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45]) {
      const fair = new FairShare({ share, slice: 0 });
      await Promise.all(Array.from({ length: 20 }, () => fair.run('a', async () => {})));
    }`;
  const { stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code]);
  assert.equal(stderr, '');
});

/**
 * Runs two pieces of a key. Resolves to whether the second begins before a timer of these milliseconds ends, which
 * starts when the first piece ends.
 */
function isPauseShorter(milliseconds: number, fair: FairShare, piece: () => Promise<void>): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  let timer: NodeJS.Timeout;
  const first = async () => {
    await piece();
    timer = setTimeout(resolve, milliseconds, false);
  };
  const second = async () => {
    clearTimeout(timer);
    resolve(true);
  };
  Promise.all([fair.run('a', first), fair.run('a', second)]).catch(reject);
  return promise;
}

test('a piece that waited long for the store causes no pause of many times as long', async () => {
  const fair = new FairShare({ share: 1 / 31 });
  // The pause would take 12 s, and takes 2 s at most.
  assert.equal(await isPauseShorter(6_000, fair, () => sleep(400)), true);
});

test('a share of the thread does not count the time during which a piece waits', async () => {
  assert.equal(await isPauseShorter(1_500, new FairShare({ share: 1 / 11, of: 'thread' }), () => sleep(200)), true);
  assert.equal(await isPauseShorter(1_500, new FairShare({ share: 1 / 11, of: 'time' }), () => sleep(200)), false);
});

test('a share of the thread counts what a piece does until it waits, and all of it if it does not wait', async () => {
  const waits = async () => {
    spin(20);
    await sleep(1);
  };
  const doesNotWait = async () => {
    await undefined;
    spin(20);
  };
  for (const piece of [waits, doesNotWait])
    assert.equal(await isPauseShorter(150, new FairShare({ share: 1 / 11, of: 'thread' }), piece), false);
});
