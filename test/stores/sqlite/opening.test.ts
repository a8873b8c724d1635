/** What keeps a sound file from being opened is told in one line that names it. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { test } from 'node:test';
import { StartupError } from '../../../src/errors.ts';
import { openConnection, prepareFile } from '../../../src/stores/sqlite/database.ts';
import { openSqlite } from '../../../src/stores/sqlite/index.ts';
import { createDirectory } from '../../harness/directory.ts';

test('a start for which too few file descriptors are free is refused in one line, and leaves no log', async (t) => {
  using directory = createDirectory();
  const path = directory.at('plants.db');
  prepareFile(path);
  const { openSync } = fs;
  let opened = 0;
  t.mock.method(fs, 'openSync', (name: string, ...rest: [string]) => {
    // The first time it is looked at, the second time it is to stay open.
    if (name === path && ++opened === 2)
      throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
    return openSync(name, ...rest);
  });
  syncBuiltinESMExports();
  const options = { queueLimit: 1, random: Math.random, onFatal: () => undefined };
  try {
    await assert.rejects(openSqlite(path, options), (error) => {
      assert.ok(error instanceof StartupError, String(error));
      assert.equal(error.message, `cannot use the database file ${path}: EMFILE: too many open files`);
      return true;
    });
  } finally {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  }
  assert.deepEqual(fs.readdirSync(directory.path), ['plants.db']);
});

test('a file that a newer version has written is refused, and stays as it is, though only its log says so', () => {
  using directory = createDirectory();
  const path = directory.at('plants.db');
  prepareFile(path);
  using newer = openConnection(path);
  newer.exec('PRAGMA user_version = 2');
  assert.throws(() => prepareFile(path), /written by a newer version of Plant Store \(schema 2, here 1\)/);
  assert.equal(newer.prepare('PRAGMA user_version').get()?.['user_version'], 2);
});
