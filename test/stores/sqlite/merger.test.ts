/** The merge of the log into the file, beside the writes. */
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { mock, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { StoreFailure } from '../../../src/errors.ts';
import { openConnection } from '../../../src/stores/sqlite/database.ts';
import { openSqlite } from '../../../src/stores/sqlite/index.ts';
import { createDirectory } from '../../harness/directory.ts';

const MIB = 2 ** 20;
const ROUND = 500;

/** A store on a new file, what it says of fatal faults, and the threads that it starts: the writer's, then the merger's. */
async function openStore() {
  const directory = createDirectory();
  const path = directory.at('plants.db');
  const threads: Worker[] = [];
  const onWorker = (thread: Worker) => void threads.push(thread);
  process.on('worker', onWorker);
  const told: unknown[] = [];
  const engine = await openSqlite(path, {
    queueLimit: 1_000,
    random: Math.random,
    onFatal: (cause) => told.push(cause),
  });
  // Node tells of a thread in a later turn than the one that starts it.
  while (threads.length === 0) await setImmediate();
  let next = 0n;
  return {
    engine,
    path,
    threads,
    told,
    /** Random ids and long names: nearly every plant writes a page of its own. */
    async write(count: number) {
      for (let done = 0; done < count; done += ROUND) {
        await Promise.all(
          Array.from({ length: ROUND }, () => {
            const id = BigInt.asIntN(64, ++next * 0x9e3779b97f4a7c15n);
            return engine.plants.create('default', { id, name: 'x'.repeat(900) });
          }),
        );
      }
    },
    async [Symbol.asyncDispose]() {
      process.off('worker', onWorker);
      await engine.close();
      directory[Symbol.dispose]();
    },
  };
}

test('a short log needs no thread; a long one is merged into the file by one, beside the writes', async () => {
  await using store = await openStore();
  await store.write(1_000);
  assert.equal(store.threads.length, 1, 'a short log needs no thread');
  await store.write(29_000);
  assert.equal(store.threads.length, 2);
  assert.ok(statSync(store.path).size > 20 * MIB, 'the file has what was written');
});

test('while a reader holds on to an older state the log grows, and is not tried to be merged again and again', async () => {
  await using store = await openStore();
  await store.write(1_000);
  const reader = openConnection(store.path);
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM plants').get();
  let merges = 0;
  const count = (thread: Worker) => thread.on('message', () => merges++);
  process.once('worker', count);
  await store.write(20_000);
  assert.ok(merges > 0 && merges < 40, `${merges} merges`);
  reader.exec('COMMIT');
  reader.close();
  await store.write(10_000);
  assert.deepEqual(store.told, []);
});

test('a merge that could not sync is fatal, one that found no room is not', async () => {
  await using store = await openStore();
  await store.write(10_000);
  const merger = store.threads[1];
  assert.ok(merger);
  merger.emit('message', { error: new Error('database or disk is full'), code: 13 });
  assert.equal(await store.engine.plants.create('default', { id: 1n, name: 'Aloe' }), 'created');
  merger.emit('message', { error: new Error('disk I/O error'), code: 10 });
  assert.equal(store.told.length, 1);
  await assert.rejects(
    store.engine.plants.create('default', { id: 2n, name: 'Fern' }),
    (error) => error instanceof StoreFailure && error.reason === 'unreachable',
  );
});

test('a merger that could not start, for want of a file descriptor or of its code, is tried again; one that ends otherwise is fatal', async () => {
  await using store = await openStore();
  const causes = [
    Object.assign(new Error('Worker initialization failure: EMFILE'), { code: 'ERR_WORKER_INIT_FAILED' }),
    Object.assign(new Error('unable to open database file'), { errcode: 14 }),
    Object.assign(new Error("Cannot find module 'merge-thread.ts'"), { code: 'MODULE_NOT_FOUND' }),
  ];
  const end = (thread: Worker, cause: Error) => {
    mock.method(thread, 'postMessage', () => undefined);
    thread.emit('error', cause);
    thread.emit('exit', 1);
  };
  for (const cause of causes) {
    process.once('worker', (thread) => end(thread, cause));
    const before = store.threads.length;
    while (store.threads.length === before) await store.write(ROUND);
  }
  await store.write(30_000);
  assert.equal(store.threads.length, 5);
  assert.ok(statSync(store.path).size > 20 * MIB, 'the file has what was written');
  assert.deepEqual(store.told, []);
  const lost = new Error('Worker terminated due to reaching memory limit');
  store.threads[4]?.emit('error', lost);
  store.threads[4]?.emit('exit', 1);
  assert.deepEqual(store.told, [lost]);
  await Promise.all(store.threads.slice(1).map((thread) => thread.terminate()));
  mock.restoreAll();
});

test('after a sync that failed no merge is begun, neither by the merger nor by the writer', async () => {
  await using store = await openStore();
  await store.write(10_000);
  const [writer, merger] = store.threads;
  assert.ok(writer && merger);
  writer.emit('message', { error: new Error('disk I/O error'), code: 10 });
  assert.equal(store.told.length, 1);
  const asked = [writer, merger].map((thread) => mock.method(thread, 'postMessage', () => undefined).mock);
  merger.emit('message', { pages: 1_000_000, merged: 999_999 });
  merger.emit('message', { pages: 1_000_000, merged: 500_000 });
  const merges = asked.map(({ calls }) => calls.length);
  mock.restoreAll();
  assert.deepEqual(merges, [0, 0]);
});

test('a log that nobody merges in time is merged by the writer, and does not grow without end', async () => {
  await using store = await openStore();
  // A merger that is never heard of again.
  process.once('worker', (thread) => mock.method(thread, 'postMessage', () => undefined));
  await store.write(20_000);
  mock.restoreAll();
  const log = statSync(`${store.path}-wal`).size;
  assert.ok(log < 80 * MIB, `${log} bytes of log`);
});
