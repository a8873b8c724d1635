import assert from 'node:assert/strict';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { StoreFailure } from '../../../src/errors.ts';
import { openBulkWriter } from '../../../src/stores/sqlite/bulk-writer.ts';
import { createCommitQueue } from '../../../src/stores/sqlite/commit-queue.ts';
import { openSqliteData } from '../../../src/stores/sqlite/data.ts';
import { openConnection, prepareFile } from '../../../src/stores/sqlite/database.ts';
import { openSqlite } from '../../../src/stores/sqlite/index.ts';
import { createDirectory } from '../../harness/directory.ts';
import { LONG_NAME, scatteredId } from '../../harness/scattered.ts';

/** The next thread that the process starts. */
function nextThread(): Promise<Worker> {
  return new Promise((resolve) => process.once('worker', resolve));
}

/** An engine, the thread of its writer, and what it told of fatal faults. */
async function openWatched() {
  const directory = createDirectory();
  const started = nextThread();
  const told: unknown[] = [];
  const options = { queueLimit: 10, random: () => 0.5, onFatal: (cause: unknown) => told.push(cause) };
  const engine = await openSqlite(directory.at('plants.db'), options);
  return {
    plants: engine.plants,
    thread: await started,
    told,
    async [Symbol.asyncDispose]() {
      await engine.close();
      directory[Symbol.dispose]();
    },
  };
}

const unreachable = (error: unknown) => error instanceof StoreFailure && error.reason === 'unreachable';

test('a writer thread that ends by itself fails what waits for it, is reported once, and refuses what comes after', async () => {
  await using store = await openWatched();
  const waits = store.plants.create('default', { id: 1n, name: 'Aloe' });
  await Promise.all([assert.rejects(waits, unreachable), store.thread.terminate()]);
  await assert.rejects(store.plants.create('default', { id: 2n, name: 'Fern' }), unreachable);
  assert.equal(store.told.length, 1);
});

test('a writer thread that cannot open the file is reported once, though it both fails and ends', async () => {
  using directory = createDirectory();
  const path = directory.at(join('nowhere', 'plants.db'));
  const started = nextThread();
  const told: unknown[] = [];
  const queue = createCommitQueue({ path, descriptor: -1 }, { queueLimit: 10, onFatal: (cause) => told.push(cause) });
  const waits = queue.commit(['create', 'default', 1n, 'Aloe', null, 1n]);
  const ended = started.then((thread) => new Promise((resolve) => thread.once('exit', resolve)));
  await Promise.all([assert.rejects(waits, unreachable), ended]);
  assert.match(String(told), /^Error: unable to open database file$/);
  await queue.close();
});

test('the reported time of a commit is in seconds and includes waiting for another writer, but not the queue', async () => {
  using directory = createDirectory();
  const path = directory.at('plants.db');
  const told: number[] = [];
  const engine = await openSqlite(path, {
    queueLimit: 10,
    random: () => 0.5,
    onFatal: (cause) => assert.fail(String(cause)),
    onCommit: (_writes, seconds) => told.push(seconds),
  });
  const create = (id: bigint) => engine.plants.create('default', { id, name: 'Aloe' });
  await create(0n);
  const other = openConnection(path);
  other.exec('BEGIN IMMEDIATE');
  const began = performance.now();
  const held = create(1n);
  await sleep(50);
  const queued = create(2n);
  await sleep(450);
  other.exec('COMMIT');
  await Promise.all([held, queued]);
  const [, first = 0, second = 0] = told;
  const seconds = (performance.now() - began) / 1_000;
  other.close();
  await engine.close();
  assert.ok(first > 0.1 && second > 0 && first + second < seconds, `${first} s and ${second} s of ${seconds} s`);
});

test('the queue counts what waits and what is under way, and is not closed before that is answered', async () => {
  using directory = createDirectory();
  const options = { queueLimit: 100, random: () => 0.5, onFatal: (cause: unknown) => assert.fail(String(cause)) };
  const engine = await openSqlite(directory.at('plants.db'), options);
  // More than are answered in one turn.
  const creates = Array.from({ length: 50 }, (_, i) =>
    engine.plants.create('default', { id: BigInt(i), name: 'Aloe' }),
  );
  assert.equal(engine.queueLength?.(), 50);
  await creates[0];
  assert.notEqual(engine.queueLength?.(), 0);
  await Promise.all(creates);
  assert.equal(engine.queueLength?.(), 0);
  const last = engine.plants.create('default', { id: 50n, name: 'Aloe' });
  await engine.close();
  const closed = new Promise((resolve) => setImmediate(resolve, 'not answered'));
  assert.equal(await Promise.race([last, closed]), 'created');
});

test('a failed sync beside the batches is reported, and every write after it is refused', async () => {
  using directory = createDirectory();
  const path = directory.at('plants.db');
  prepareFile(path);
  const descriptor = openSync('/dev/null', 'r');
  const told: unknown[] = [];
  const queue = createCommitQueue({ path, descriptor }, { queueLimit: 1_000, onFatal: (cause) => told.push(cause) });
  const create = (index: number) => {
    return queue.commit(['create', 'default', scatteredId(index), LONG_NAME, null, 1n]);
  };
  for (let from = 0; from < 40_000 && told.length === 0; from += 500) {
    await Promise.allSettled(Array.from({ length: 500 }, (_, i) => create(from + i)));
  }
  assert.match(String(told), /^Error: EINVAL/);
  await assert.rejects(create(-1), unreachable);
  await queue.close();
  closeSync(descriptor);
});

test('an answer of the writer thread that cannot be read is fatal too', async () => {
  await using store = await openWatched();
  const waits = store.plants.create('default', { id: 1n, name: 'Aloe' });
  store.thread.emit('messageerror', new Error('not to be read'));
  await assert.rejects(waits, unreachable);
  assert.equal(store.told.length, 1);
});

for (const [what, code] of [
  ['could not be written', 10],
  ['met a damaged file', 11],
] as const) {
  test(`a batch that ${what} fails, is reported once, and every write after it is refused`, async () => {
    await using store = await openWatched();
    const waits = store.plants.create('default', { id: 1n, name: 'Aloe' });
    store.thread.emit('message', { error: new Error('as SQLite says it'), code });
    await assert.rejects(waits, unreachable);
    await assert.rejects(store.plants.create('default', { id: 2n, name: 'Fern' }), unreachable);
    assert.equal(store.told.length, 1);
  });
}

test('an import whose thread cannot open the file fails when it is asked, and not before', async () => {
  using directory = createDirectory();
  const path = directory.at('plants.db');
  const started = nextThread();
  const writer = openBulkWriter(join(path, 'below a file that is not there'), 'default');
  await new Promise((resolve) => void started.then((thread) => thread.once('exit', resolve)));
  await assert.rejects(writer.mark('any'), unreachable);
  await writer.close();
});

test('an import whose thread cannot start, for lack of a file descriptor, fails when it is asked, and not before', async () => {
  using directory = createDirectory();
  const path = directory.at('plants.db');
  const started = nextThread();
  const writer = openBulkWriter(path, 'default');
  const thread = await started;
  const cause = new Error('Worker initialization failure: EMFILE');
  thread.emit('error', Object.assign(cause, { code: 'ERR_WORKER_INIT_FAILED' }));
  await assert.rejects(writer.mark('any'), unreachable);
  await writer.close();
});

test('an import whose thread ends by itself fails rather than waits', async () => {
  using directory = createDirectory();
  const path = directory.at('plants.db');
  const data = await openSqliteData(path, true);
  const started = nextThread();
  const writer = data.bulkWriter('default');
  const thread = await started;
  const waits = writer.mark('any');
  await Promise.all([assert.rejects(waits, unreachable), thread.terminate()]);
  await assert.rejects(writer.mark('any'), unreachable);
  await writer.close();
  await data.close();
});
