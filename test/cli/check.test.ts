import assert from 'node:assert/strict';
import { closeSync, openSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { createDirectory } from '../harness/directory.ts';
import { refusedWith, runHere } from '../harness/process.ts';

async function store(plants: number) {
  const directory = createDirectory();
  const path = directory.at('plants.db');
  const location = ['--database', `sqlite:${path}`];
  writeFileSync(directory.at('one.ndjson'), '{"id":0,"name":"Aloe"}\n');
  assert.equal((await runHere(['import', directory.at('one.ndjson'), ...location])).code, 0);
  const database = new DatabaseSync(path);
  const ids = `WITH RECURSIVE ids (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids LIMIT ${plants - 1})`;
  const row = `1, id, '${'Plant'.repeat(12)}', 't', 1`;
  database.exec(`${ids} INSERT INTO plants (store, id, name, tag, version) SELECT ${row} FROM ids`);
  database.close();
  const run = (command: string) => runHere([command, ...location]);
  return { path, run, [Symbol.dispose]: directory[Symbol.dispose] };
}

test('check finds no problems in an undamaged store', async () => {
  using place = await store(100);
  const checked = await place.run('check');
  assert.deepEqual([checked.code, checked.stderr], [0, '']);
  assert.match(checked.stdout, /^No problems found: 100 plants, 0 tokens in \S+\.\n$/);
});

test('check finds overwritten pages, even if the file is too large for the check at every start', async () => {
  using place = await store(250_000);
  assert.ok(statSync(place.path).size > 16 * 2 ** 20);
  const file = openSync(place.path, 'r+');
  writeSync(file, Buffer.alloc(4_096, 0xa5), 0, 4_096, 4_096 * 2_000);
  closeSync(file);
  const checked = await place.run('check');
  assert.equal(checked.code, 1);
  assert.notEqual(checked.stderr, '');
});

test('check also reports damage in a file that is small enough for the check at every start', async () => {
  using place = await store(1_000);
  const database = new DatabaseSync(place.path);
  const leaf = Number(
    database.prepare("SELECT pageno FROM dbstat WHERE name = 'plants_by_tag' AND pagetype = 'leaf' LIMIT 1").get()?.[
      'pageno'
    ],
  );
  database.close();
  const file = openSync(place.path, 'r+');
  // The beginning of the first cell of a page.
  writeSync(file, Buffer.from([0x00, 0x01]), 0, 2, 4_096 * (leaf - 1) + 8);
  closeSync(file);
  const checked = await place.run('check');
  assert.equal(checked.code, 1);
  assert.match(checked.stdout, /^Problems found: [1-9]\d* in \S+plants\.db\.\n$/);
  assert.match(checked.stderr, new RegExp(`^Tree \\d+ page ${leaf}\\b`));
  const exported = await place.run('export');
  refusedWith(exported, 1, /: cannot use the database file \S+: it is damaged: restore a backup\n$/);
});

test('check finds and names data that the service would never store', async () => {
  using place = await store(7);
  const database = new DatabaseSync(place.path);
  // Data with a flipped bit, and similar data that is not damaged.
  database.exec("UPDATE plants SET name = CAST(x'41EC6F65' AS TEXT) WHERE id = 3");
  database.exec("UPDATE plants SET tag = CAST(x'74BF' AS TEXT) WHERE id = 4");
  database.exec("UPDATE plants SET name = char(1, 127, 233, 65533, 65534, 128512), tag = '' WHERE id = 5");
  database.exec("UPDATE plants SET name = 'a' || char(0) WHERE id = 1; UPDATE plants SET version = 0 WHERE id = 2");
  const rename = database.prepare('UPDATE plants SET name = ? WHERE id = ?');
  rename.run('🌱'.repeat(1_024), 6);
  rename.run('🌱'.repeat(1_025), 0);
  const token = database.prepare('INSERT INTO tokens VALUES (?, ?, ?, ?, 1, NULL, NULL)');
  token.run('a'.repeat(43), 'sound', 'default', 'plants:read');
  token.run('a'.repeat(42), 'cut off', 'default', 'plants:read');
  token.run('b'.repeat(43), 'without scopes', 'default', '');
  token.run('c'.repeat(43), 'of no store', '', 'plants:read');
  database.exec("DELETE FROM meta WHERE key = 'cursor-key'; PRAGMA foreign_keys = OFF");
  database.exec("INSERT INTO plants (store, id, name, version) VALUES (99, 7, 'of no store', 1)");
  database.close();
  const checked = await place.run('check');
  assert.equal(checked.code, 1);
  assert.deepEqual(checked.stderr.split('\n'), [
    'plant 0 of store 1: its name is not valid',
    'plant 1 of store 1: its name is not valid',
    'plant 3 of store 1: its name is not valid',
    'plant 4 of store 1: its tag is not valid',
    'plant 2 of store 1: its version is not above 0',
    'plant 7 of store 99: no such store',
    'token cut off: it is not a valid token record',
    'token without scopes: it is not a valid token record',
    'token of no store: it is not a valid token record',
    'the cursor key: it is missing',
    '',
  ]);
});

test('check does not create a missing database', async () => {
  const checked = await runHere(['check', '--database', 'sqlite:/nonexistent/plants.db']);
  refusedWith(checked, 1, /: no such file$/m);
});
