/** Tests interrupted and simultaneous first starts, and files that cannot be used. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { copyFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { StartupError } from '../../../src/errors.ts';
import { openConnection, prepareFile } from '../../../src/stores/sqlite/database.ts';
import { migrate, STEPS } from '../../../src/stores/sqlite/migrations.ts';
import { createDirectory } from '../../harness/directory.ts';

/** The number of this version's format. */
const FORMAT = STEPS.length;
const SOURCE = new URL('../../../src/stores/sqlite/database.ts', import.meta.url).href;

function versionOf(path: string): unknown {
  const database = openConnection(path);
  const version = database.prepare('PRAGMA user_version').get()?.['user_version'];
  database.close();
  return version;
}

const isNewer = (format: number) =>
  new RegExp(`written by a newer version of Plant Store \\(format ${format}, not ${FORMAT}\\)`);

const CUTS = [
  ['before it has a log', '', ['']],
  ['while its tables are made', 'BEGIN; CREATE TABLE meta (key TEXT)', ['', '-wal']],
] as const;
for (const [when, sql, files] of CUTS) {
  test(`a first start that is killed ${when} is repeated by the next`, () => {
    using directory = createDirectory();
    const killed = new DatabaseSync(directory.at('made.db'));
    killed.exec(`PRAGMA journal_mode = WAL; ${sql}`);
    for (const suffix of files) copyFileSync(directory.at(`made.db${suffix}`), directory.at(`plants.db${suffix}`));
    killed.close();
    prepareFile(directory.at('plants.db'));
    assert.equal(versionOf(directory.at('plants.db')), FORMAT);
  });
}

test('several first starts on one file at the same time all succeed', async (t) => {
  using directory = createDirectory();
  const starts = Array.from(
    { length: 4 },
    () =>
      new Worker(
        `const { parentPort } = require('node:worker_threads');
         import(${JSON.stringify(SOURCE)}).then(({ prepareFile }) => {
           parentPort.on('message', ({ path, ready }) => {
             Atomics.add(ready, 0, 1);
             while (Atomics.load(ready, 0) < 4);
             try { parentPort.postMessage(prepareFile(path)); } catch (error) { parentPort.postMessage(error.message); }
           });
           parentPort.postMessage('here');
         });`,
        { eval: true },
      ),
  );
  t.after(() => Promise.all(starts.map((start) => start.terminate())));
  await Promise.all(starts.map((start) => once(start, 'message')));
  for (let round = 0; round < 50; round++) {
    const request = { path: directory.at(`${round}.db`), ready: new Int32Array(new SharedArrayBuffer(4)) };
    const results = starts.map((start) => once(start, 'message'));
    for (const start of starts) start.postMessage(request);
    for (const result of await Promise.all(results)) assert.deepEqual(result, [undefined]);
    assert.equal(versionOf(request.path), FORMAT);
  }
});

test('a file of a newer version is refused and not changed, even if the version is only in its log', () => {
  using directory = createDirectory();
  const path = directory.at('plants.db');
  prepareFile(path);
  using newer = openConnection(path);
  newer.exec('PRAGMA user_version = 999');
  assert.throws(() => prepareFile(path), isNewer(999));
  assert.equal(newer.prepare('PRAGMA user_version').get()?.['user_version'], 999);
});

test('a further step changes the tables once, keeps every row, and is reported with both formats', () => {
  using directory = createDirectory();
  const path = directory.at('plants.db');
  prepareFile(path);
  using database = openConnection(path);
  const keyOf = () => database.prepare("SELECT value FROM meta WHERE key = 'cursor-key'").get();
  const key = keyOf();
  database.exec("INSERT INTO stores VALUES (1, 'default')");
  database.exec("INSERT INTO plants (store, id, name, version) VALUES (1, 12, 'Aloe', 7)");
  const upgrades: unknown[] = [];
  const steps = [...STEPS, "ALTER TABLE plants ADD COLUMN colour TEXT NOT NULL DEFAULT 'green'"];
  for (let start = 0; start < 2; start++) migrate(database, (...formats) => upgrades.push(formats), steps);
  assert.deepEqual(upgrades, [[FORMAT, FORMAT + 1]]);
  assert.equal(versionOf(path), FORMAT + 1);
  assert.deepEqual(
    { ...database.prepare('SELECT store, id, name, tag, version, colour FROM plants').get() },
    { store: 1, id: 12, name: 'Aloe', tag: null, version: 7, colour: 'green' },
  );
  assert.deepEqual(keyOf(), key);
  assert.throws(() => prepareFile(path), isNewer(FORMAT + 1));
});

test('a step that fails leaves the tables, the rows and the format as they were', () => {
  using directory = createDirectory();
  const path = directory.at('plants.db');
  prepareFile(path);
  using database = openConnection(path);
  const steps = [...STEPS, 'ALTER TABLE plants ADD COLUMN colour TEXT', 'ALTER TABLE no ADD COLUMN colour TEXT'];
  assert.throws(() => migrate(database, () => assert.fail('no upgrade'), steps), /no such table/);
  assert.equal(versionOf(path), FORMAT);
  assert.throws(() => database.prepare('SELECT colour FROM plants'), /no such column/);
});

test('a file system that silently refuses a write-ahead log is refused', () => {
  // A database in memory has no log, as on a file system without shared memory.
  assert.throws(() => openConnection(':memory:'), StartupError);
});
