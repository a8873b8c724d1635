import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { StartupError } from '../../../src/errors.ts';
import { backupTo } from '../../../src/stores/sqlite/backup.ts';
import { openConnection, prepareFile } from '../../../src/stores/sqlite/database.ts';
import { createDirectory } from '../../harness/directory.ts';

test('a file that appears at the destination while the copy is made is left as it is', async () => {
  using directory = createDirectory();
  const path = directory.at('plants.db');
  const copy = directory.at('copy.db');
  prepareFile(path);
  const database = openConnection(path);
  const made = backupTo(database, copy);
  writeFileSync(copy, 'kept');
  await assert.rejects(made, (error) => error instanceof StartupError && /already exists/.test(error.message));
  assert.equal(readFileSync(copy, 'utf8'), 'kept');
  database.close();
  assert.deepEqual(readdirSync(directory.path), ['copy.db', 'plants.db']);
});

test('of two at once to one name one is made: in two containers both may be process 1', async () => {
  using directory = createDirectory();
  const path = directory.at('plants.db');
  const copy = directory.at('copy.db');
  prepareFile(path);
  const database = openConnection(path);
  const outcomes = await Promise.allSettled([backupTo(database, copy), backupTo(database, copy)]);
  assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  for (const outcome of outcomes) assert.ok(outcome.status === 'fulfilled' || outcome.reason instanceof StartupError);
  database.close();
  assert.deepEqual(readdirSync(directory.path), ['copy.db', 'plants.db']);
});

test('a copy that is not sound is not kept', async () => {
  using directory = createDirectory();
  const path = directory.at('plants.db');
  prepareFile(path);
  const database = openConnection(path);
  // The file is whole, but the service would not have written it.
  database.exec("UPDATE meta SET value = x'00'");
  await assert.rejects(
    backupTo(database, directory.at('copy.db')),
    (error) =>
      error instanceof StartupError && /copy is not sound, .*: the cursor key: it is missing$/.test(error.message),
  );
  database.close();
  assert.deepEqual(readdirSync(directory.path), ['plants.db']);
});
