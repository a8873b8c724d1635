import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { StartupError } from '../../../src/errors.ts';
import { backupTo } from '../../../src/stores/sqlite/backup.ts';
import { openConnection, prepareFile } from '../../../src/stores/sqlite/database.ts';
import { createDirectory } from '../../harness/directory.ts';

/** Runs a test on an open database. After it is closed, only these files may be left. */
async function onDatabase(work: (database: DatabaseSync, copy: string) => Promise<void>, left: readonly string[]) {
  using directory = createDirectory();
  const path = directory.at('plants.db');
  prepareFile(path);
  const database = openConnection(path);
  await work(database, directory.at('copy.db'));
  database.close();
  assert.deepEqual(readdirSync(directory.path), left);
}

test('a file that appears at the destination during the backup is not changed', () =>
  onDatabase(
    async (database, copy) => {
      const made = backupTo(database, copy);
      writeFileSync(copy, 'kept');
      await assert.rejects(made, (error) => error instanceof StartupError && /already exists/.test(error.message));
      assert.equal(readFileSync(copy, 'utf8'), 'kept');
    },
    ['copy.db', 'plants.db'],
  ));

test('if two backups to one name run at the same time, even with the same process id, one succeeds', () =>
  onDatabase(
    async (database, copy) => {
      const results = await Promise.allSettled([backupTo(database, copy), backupTo(database, copy)]);
      assert.deepEqual(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
      for (const result of results) assert.ok(result.status === 'fulfilled' || result.reason instanceof StartupError);
    },
    ['copy.db', 'plants.db'],
  ));

test('a damaged copy is not kept', () =>
  onDatabase(
    async (database, copy) => {
      // SQLite finds no damage, but the service would not have written this.
      database.exec("UPDATE meta SET value = x'00'");
      await assert.rejects(
        backupTo(database, copy),
        (error) =>
          error instanceof StartupError && /copy is damaged, .*: the cursor key: it is missing$/.test(error.message),
      );
    },
    ['plants.db'],
  ));
