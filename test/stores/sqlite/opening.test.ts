/** What keeps a sound file from being opened is told in one line that names it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openConnection, prepareFile } from '../../../src/stores/sqlite/database.ts';
import { createDirectory } from '../../harness/directory.ts';

test('a file that a newer version has written is refused, and stays as it is, though only its log says so', () => {
  using directory = createDirectory();
  const path = directory.at('plants.db');
  prepareFile(path);
  using newer = openConnection(path);
  newer.exec('PRAGMA user_version = 2');
  assert.throws(() => prepareFile(path), /written by a newer version of Plant Store \(schema 2, here 1\)/);
  assert.equal(newer.prepare('PRAGMA user_version').get()?.['user_version'], 2);
});
