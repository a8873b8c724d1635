/** The snapshot that reads of one turn of the event loop share: it never hides what was answered, nor stops the log. */
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { test } from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import { openConnection } from '../../../src/stores/sqlite/database.ts';
import { openSqlite } from '../../../src/stores/sqlite/index.ts';
import { createWriter } from '../../../src/stores/sqlite/writes.ts';
import { createDirectory } from '../../harness/directory.ts';
import { LONG_NAME, scatteredId } from '../../harness/scattered.ts';

const MIB = 2 ** 20;
const OPTIONS = {
  queueLimit: 1_000,
  random: Math.random,
  onFatal: (cause: unknown) => assert.fail(String(cause)),
};

/** A store on a new file, with a read in every turn of the event loop: some snapshot is held nearly all the time. */
async function openReadStore() {
  const directory = createDirectory();
  const path = directory.at('plants.db');
  const engine = await openSqlite(path, OPTIONS);
  let reading = true;
  let reads = 0;
  const read = async (): Promise<void> => {
    while (reading) {
      await engine.plants.get('default', BigInt(reads++));
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const done = read();
  return {
    path,
    plants: engine.plants,
    reads: () => reads,
    async [Symbol.asyncDispose]() {
      reading = false;
      await done;
      await engine.close();
      directory[Symbol.dispose]();
    },
  };
}

test('what was answered is seen by the next read, even if others of its turn have read before', async () => {
  await using store = await openReadStore();
  for (let i = 1; i <= 500; i++) {
    const id = BigInt(-i);
    const name = `plant ${i}`;
    assert.equal(await store.plants.create('default', { id, name }), 'created');
    assert.equal((await store.plants.get('default', id))?.name, name);
    const replaced = await store.plants.replace('default', { id, name: 'other' }, undefined);
    assert.deepEqual(await store.plants.get('default', id), replaced);
    assert.equal((await store.plants.list('default', { after: undefined, tag: undefined, limit: 1 }))[0]?.id, id);
    if (i % 2 === 0) continue;
    assert.equal(await store.plants.delete('default', id, undefined), 'deleted');
    assert.equal(await store.plants.get('default', id), undefined);
  }
  assert.ok(store.reads() > 500);
});

test('what was answered is seen by the next read, even if it was committed and answered within a turn that had read', async () => {
  using directory = createDirectory();
  const path = directory.at('plants.db');
  // Made before the writer's thread, so that of what comes to both in one turn its message is taken first.
  const { port1, port2 } = new MessageChannel();
  const engine = await openSqlite(path, OPTIONS);
  await engine.plants.create('default', { id: 0n, name: 'Aloe' });
  const other = openConnection(path);
  other.exec('BEGIN IMMEDIATE');
  port1.on('message', () => {
    void engine.plants.get('default', 1n);
    other.exec('COMMIT');
    // Long enough for the writer to commit.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  });
  const created = engine.plants.create('default', { id: 1n, name: 'Fern' });
  setTimeout(() => port2.postMessage(undefined), 20);
  assert.equal(await created, 'created');
  const seen = await engine.plants.get('default', 1n);
  port1.close();
  other.close();
  await engine.close();
  assert.equal(seen?.name, 'Fern');
});

test('what another process has answered is seen by the next read, even if a snapshot began at the end of the turn before', async () => {
  await using store = await openReadStore();
  const other = await openSqlite(store.path, OPTIONS);
  try {
    for (let i = 1; i <= 500; i++) {
      const id = BigInt(-i);
      assert.equal(await other.plants.create('default', { id, name: 'p' }), 'created');
      assert.ok(await store.plants.get('default', id), `plant ${id}`);
    }
  } finally {
    await other.close();
  }
});

test('a snapshot ends with its turn even if no read follows: the log of another process can be merged whole', async () => {
  using directory = createDirectory();
  const path = directory.at('plants.db');
  const engine = await openSqlite(path, OPTIONS);
  const other = openConnection(path);
  await engine.plants.get('default', 1n);
  await new Promise((resolve) => setImmediate(resolve));
  createWriter(other)([['create', 'default', 1n, 'Aloe', null, 1n]]);
  const { log, checkpointed } = other.prepare('PRAGMA wal_checkpoint').get() ?? {};
  other.close();
  await engine.close();
  assert.ok(Number(log) > 0);
  assert.equal(checkpointed, log);
});

test('the log restarts even while reads go on', async () => {
  await using store = await openReadStore();
  let next = 0n;
  const writers = Array.from({ length: 64 }, async () => {
    // Nearly every plant writes a page of its own, 160 MB in all.
    while (next < 40_000n) {
      await store.plants.create('default', { id: scatteredId(++next), name: LONG_NAME });
    }
  });
  await Promise.all(writers);
  const log = statSync(`${store.path}-wal`).size;
  assert.ok(log < 80 * MIB, `${log} bytes of log`);
});
