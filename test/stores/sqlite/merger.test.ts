/** The merge of the log into the file, between the batches. */
import assert from 'node:assert/strict';
import { closeSync, fstatSync, openSync, readSync, truncateSync } from 'node:fs';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { mock, test } from 'node:test';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { openConnection, prepareFile } from '../../../src/stores/sqlite/database.ts';
import { openSqlite } from '../../../src/stores/sqlite/index.ts';
import { openLogCopier } from '../../../src/stores/sqlite/log-copier.ts';
import { createMerger } from '../../../src/stores/sqlite/merger.ts';
import { LONGEST_LOG, writeAheadLog } from '../../../src/stores/sqlite/write-ahead-log.ts';
import { createWriter, type Write } from '../../../src/stores/sqlite/writes.ts';
import { createDirectory } from '../../harness/directory.ts';
import { LONG_NAME, scatteredId } from '../../harness/scattered.ts';

const MIB = 2 ** 20;
const BATCH = 100;
const PATIENCE_MS = 10_000;

/** A merger as the writer's thread has one, in this thread. `descriptor` stands for the file's own where one is given. */
function openMerger(descriptor?: number, autocheckpoint = 0) {
  const directory = createDirectory();
  const path = directory.at('plants.db');
  prepareFile(path);
  const database = openConnection(path);
  database.exec(`PRAGMA wal_autocheckpoint = ${autocheckpoint}`);
  const own = openSync(path, 'r+');
  const told: unknown[] = [];
  const merger = createMerger(database, { path, descriptor: descriptor ?? own }, (cause) => told.push(cause));
  const write = createWriter(database);
  let next = 1;
  return {
    path,
    merger,
    told,
    log: writeAheadLog(database),
    /** One batch of so many new plants; or of the one before it again, which changes nothing. */
    async batch(count = BATCH, beforeMerge = () => {}) {
      const from = count === 0 ? next - 1 : next;
      const writes = Array.from({ length: Math.max(count, 1) }, (_, i): Write => {
        return ['create', 'default', scatteredId(from + i), LONG_NAME, null, 1n];
      });
      merger.beforeBatch();
      write(writes);
      beforeMerge();
      merger.afterBatch();
      next += count;
      // What was synced meanwhile is told in another turn.
      await setImmediate();
    },
    async [Symbol.asyncDispose]() {
      await merger.close();
      database.close();
      closeSync(own);
      directory[Symbol.dispose]();
    },
  };
}

/** It changes when the log begins anew (https://sqlite.org/fileformat2.html#walformat). */
function headerOf(log: number): string {
  const header = Buffer.alloc(32);
  readSync(log, header, 0, header.length, 0);
  return header.toString('hex');
}

/** How often SQLite was asked to merge the log. */
function countMerges() {
  const asked = mock.method(StatementSync.prototype, 'get');
  const isMerge = ({ sourceSQL }: StatementSync) => /PASSIVE|RESTART/.test(sourceSQL);
  return {
    count: () => asked.mock.calls.filter((call) => isMerge(call.this as StatementSync)).length,
    [Symbol.dispose]: () => asked.mock.restore(),
  };
}

test('a log is merged into the file beside the writes, and begins anew', async () => {
  using directory = createDirectory();
  const path = directory.at('plants.db');
  const told: unknown[] = [];
  const engine = await openSqlite(path, {
    queueLimit: 1_000,
    random: Math.random,
    onFatal: (cause) => told.push(cause),
  });
  const log = openSync(`${path}-wal`, 'r');
  const begins = new Set<string>();
  for (let from = 0; begins.size < 5 && fstatSync(log).size < 60 * MIB; from += BATCH) {
    await Promise.all(
      Array.from({ length: BATCH }, (_, i) =>
        engine.plants.create('default', { id: scatteredId(from + i), name: LONG_NAME }),
      ),
    );
    begins.add(headerOf(log));
    // A sync takes the time it takes.
    if (fstatSync(log).size > 20 * MIB) await sleep(20);
  }
  await engine.close();
  closeSync(log);
  assert.equal(begins.size, 5, 'SQLite was left to merge a log of 64 MiB');
  assert.deepEqual(told, []);
});

test('the end of the log is never copied without a sync, so that SQLite syncs the file before the log begins anew', async () => {
  using directory = createDirectory();
  const path = directory.at('plants.db');
  prepareFile(path);
  const database = openConnection(path);
  const write = createWriter(database);
  const log = writeAheadLog(database);
  const copier = openLogCopier(path);
  for (let index = 0; index < 50; index++) {
    const { pages, merged } = log.state();
    copier.mark();
    // Every third batch changes nothing.
    if (index % 3 > 0) write([['create', 'default', scatteredId(index), LONG_NAME, null, 1n]]);
    const copied = copier.copy();
    copier.release();
    assert.equal(copied, index % 3 > 0 ? pages - merged : undefined);
    assert.equal(log.state().merged, merged + (copied ?? 0));
  }
  assert.equal(copier.copy(), undefined, 'without a mark');
  copier.close();
  database.close();
});

test('a connection that has copied syncs again, as it has to where it is the last one to close', async () => {
  await using store = openMerger();
  const executed = mock.method(DatabaseSync.prototype, 'exec');
  while (store.log.state().merged === 0) await store.batch();
  executed.mock.restore();
  const copiers = executed.mock.calls
    .filter((call) => call.arguments[0] === 'PRAGMA synchronous = OFF')
    .map((call) => call.this as DatabaseSync);
  assert.notEqual(copiers.length, 0);
  for (const copier of copiers) assert.deepEqual({ ...copier.prepare('PRAGMA synchronous').get() }, { synchronous: 2 });
});

for (const look of [1, 2]) {
  test(`what another process commits behind look ${look} at the log is not copied without a sync up to its end`, async () => {
    await using store = openMerger();
    while (store.log.state().pages < 600) await store.batch();
    const other = openConnection(store.path);
    const write = createWriter(other);
    let looks = 0;
    const get = StatementSync.prototype.get;
    // The mark is set between the merger's first look at the log and its second.
    const watched = mock.method(StatementSync.prototype, 'get', function (this: StatementSync, ...values: unknown[]) {
      const row = Reflect.apply(get, this, values);
      if (this.sourceSQL.includes('NOOP') && ++looks === look) write([['create', 'other', 1n, LONG_NAME, null, 1n]]);
      return row;
    });
    await store.batch(0);
    watched.mock.restore();
    other.close();
    assert.ok(looks >= look);
    const { pages, merged } = store.log.state();
    assert.ok(merged < pages, `${merged} of ${pages} pages are merged`);
  });
}

test('most of the log is copied without waiting for the disk, and little is left to the restart', async () => {
  await using store = openMerger();
  let merged = 0;
  let left = 0;
  while (store.log.state().pages >= merged) {
    const state = store.log.state();
    merged = state.merged;
    left = state.pages - merged;
    await store.batch();
    // A sync takes the time it takes.
    if (state.pages >= 4_000) await sleep(20);
  }
  assert.ok(merged > 3_500, `${merged} pages were copied before the log began anew`);
  assert.ok(left < 1_500, `${left} pages were left to the restart`);
  assert.deepEqual(store.told, []);
});

test('while a reader holds on to an older state the log grows, and is not tried to be merged again and again', async () => {
  await using store = openMerger();
  await store.batch();
  const reader = openConnection(store.path);
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM plants').get();
  using merges = countMerges();
  while (store.log.state().pages < 15_000) await store.batch();
  assert.ok(merges.count() > 0 && merges.count() < 10, `${merges.count()} merges`);
  const { pages } = store.log.state();
  reader.exec('COMMIT');
  reader.close();
  while (store.log.state().pages >= pages) await store.batch();
  assert.deepEqual(store.told, []);
});

test('once SQLite has merged what a reader held up, pieces are copied as before', async () => {
  await using store = openMerger(undefined, LONGEST_LOG);
  await store.batch();
  const reader = openConnection(store.path);
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM plants').get();
  while (store.log.state().pages < 15_000) await store.batch();
  reader.close();
  // SQLite merges the log within a commit, and it begins anew.
  while (store.log.state().pages >= 15_000) await store.batch();
  while (store.log.state().pages < 2_000) await store.batch();
  assert.ok(store.log.state().merged > 1_000, `${store.log.state().merged} pages are merged`);
  assert.deepEqual(store.told, []);
});

test('a log that another process has restarted between two syncs is merged in pieces again, not after each batch', async () => {
  await using store = openMerger();
  while (store.log.state().pages < 3_900) await store.batch();
  while (store.log.state().pages < 4_000) void store.batch();
  // During the sync comes more than what is left to the restart.
  for (let i = 0; i < 5; i++) void store.batch();
  await sleep(200);
  const other = openConnection(store.path);
  other.exec('PRAGMA wal_checkpoint(RESTART)');
  createWriter(other)([['create', 'other', 1n, LONG_NAME, null, 1n]]);
  other.close();
  assert.ok(store.log.state().pages < 100);
  using merges = countMerges();
  // Less than a piece.
  for (let i = 0; i < 10; i++) await store.batch(1);
  assert.equal(merges.count(), 0);
});

test('batches that change nothing are no reason to merge again', async () => {
  await using store = openMerger();
  const isMerged = () => store.log.state().pages >= 4_000 && store.log.state().merged === store.log.state().pages;
  while (!isMerged()) {
    await store.batch();
    await sleep(5);
  }
  using merges = countMerges();
  for (let i = 0; i < 50; i++) await store.batch(0);
  assert.equal(merges.count(), 0);
});

test('a sync that fails is fatal, and no merge is begun after it', async () => {
  const unsyncable = openSync('/dev/null', 'r');
  await using store = openMerger(unsyncable);
  const deadline = Date.now() + PATIENCE_MS;
  while (store.told.length === 0 && Date.now() < deadline) await store.batch();
  assert.match(String(store.told[0]), /EINVAL/);
  const { merged, pages } = store.log.state();
  for (let i = 0; i < 50; i++) await store.batch();
  assert.equal(store.told.length, 1);
  assert.equal(store.log.state().merged, merged);
  assert.ok(store.log.state().pages > pages + 4_000, 'the log did not begin anew');
  closeSync(unsyncable);
});

test('a merge that cannot read the log is fatal, and none is begun after it', async () => {
  await using store = openMerger();
  while (store.log.state().pages < 1_000) await store.batch();
  const { merged } = store.log.state();
  await store.batch(BATCH, () => truncateSync(`${store.path}-wal`, 32));
  assert.match(String(store.told[0]), /disk I\/O error/);
  store.merger.beforeBatch();
  store.merger.afterBatch();
  assert.equal(store.told.length, 1);
  assert.equal(store.log.state().merged, merged);
});

test('a sync that fails while the merger is closed is reported', async () => {
  const unsyncable = openSync('/dev/null', 'r');
  const told: unknown[][] = [];
  {
    await using store = openMerger(unsyncable);
    told.push(store.told);
    while (store.log.state().pages < 3_900) await store.batch();
    // Not waited for: the merger is closed in the turn in which the sync began.
    while (store.log.state().pages < 4_000) void store.batch();
  }
  assert.match(String(told[0]), /EINVAL/);
  closeSync(unsyncable);
});

test('once stopped, neither a piece is copied nor a sync under way followed by another merge', async () => {
  await using store = openMerger();
  while (store.log.state().pages < 4_000) await store.batch();
  store.merger.stop();
  const { merged } = store.log.state();
  await sleep(100);
  for (let i = 0; i < 20; i++) await store.batch();
  assert.equal(store.log.state().merged, merged);
  assert.ok(store.log.state().pages > 5_000);
});
