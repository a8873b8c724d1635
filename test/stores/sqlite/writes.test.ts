import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StartupError } from '../../../src/errors.ts';
import { openConnection, prepareFile } from '../../../src/stores/sqlite/database.ts';
import { createWriter } from '../../../src/stores/sqlite/writes.ts';
import { createDirectory } from '../../harness/directory.ts';

test('a store that was new in a batch which failed is made again by the next', () => {
  using directory = createDirectory();
  const path = directory.at('plants.db');
  prepareFile(path);
  const database = openConnection(path);
  const write = createWriter(database);
  const tooLarge = 2n ** 70n;
  assert.throws(() =>
    write([
      ['create', 'new', 1n, 'Aloe', null, 1n],
      ['create', 'new', 2n, 'Fern', null, tooLarge],
    ]),
  );
  assert.deepEqual(write([['create', 'new', 1n, 'Aloe', null, 1n]]), ['created']);
  const stores = database.prepare('SELECT stores.name FROM stores JOIN plants ON number = store').all();
  assert.deepEqual(
    stores.map(({ name }) => name),
    ['new'],
  );
  database.close();
});

test('a place that refuses a write-ahead log, and says nothing, is refused', () => {
  // What is only in memory has none, as on a file system without shared memory.
  assert.throws(() => openConnection(':memory:'), StartupError);
});
