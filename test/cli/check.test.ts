import assert from 'node:assert/strict';
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { runCommand } from '../harness/process.ts';

async function store(plants: number) {
  const directory = mkdtempSync(join(tmpdir(), 'plantstore-check-'));
  const path = join(directory, 'plants.db');
  const file = join(directory, 'plants.ndjson');
  writeFileSync(
    file,
    Array.from({ length: plants }, (_, id) => `{"id":${id},"name":"${'Plant'.repeat(12)}","tag":"t"}\n`).join(''),
  );
  const database = `sqlite:${path}`;
  assert.equal((await runCommand(['import', file, '--database', database])).code, 0);
  return { path, database, [Symbol.dispose]: () => rmSync(directory, { recursive: true }) };
}

test('a sound store is told to be sound', async () => {
  using place = await store(100);
  const checked = await runCommand(['check', '--database', place.database]);
  assert.deepEqual([checked.code, checked.stderr], [0, '']);
  assert.match(checked.stdout, / is sound\n$/);
});

test('pages that were overwritten are found, also where the file is too large to be checked at every start', async () => {
  using place = await store(250_000);
  assert.ok(statSync(place.path).size > 16 * 2 ** 20);
  const file = openSync(place.path, 'r+');
  writeSync(file, Buffer.alloc(4_096, 0xa5), 0, 4_096, 4_096 * 2_000);
  closeSync(file);
  const checked = await runCommand(['check', '--database', place.database]);
  assert.equal(checked.code, 1);
  assert.notEqual(checked.stderr, '');
});

test('what the service would never have stored is found, each with what it is', async () => {
  using place = await store(3);
  const database = new DatabaseSync(place.path);
  database.exec("UPDATE plants SET name = 'a' || char(0) WHERE id = 1; UPDATE plants SET version = 0 WHERE id = 2");
  database.exec("DELETE FROM meta WHERE key = 'cursor-key'; PRAGMA foreign_keys = OFF");
  database.exec("INSERT INTO plants VALUES (99, 7, 'of no store', NULL, 1)");
  database.close();
  const checked = await runCommand(['check', '--database', place.database]);
  assert.equal(checked.code, 1);
  assert.deepEqual(checked.stderr.split('\n'), [
    'plant 1 of store 1: its name is no valid name',
    'plant 2 of store 1: its version is not above 0',
    'plant 7 of store 99: there is no such store',
    'the cursor key: it is missing',
    '',
  ]);
});

test('a database that is not there is not made by looking at it', async () => {
  const checked = await runCommand(['check', '--database', 'sqlite:/nonexistent/plants.db']);
  assert.equal(checked.code, 1);
  assert.match(checked.stderr, /there is no such file/);
});
