/** Tests a file that is damaged while it is served: what can be read is served. */
import assert from 'node:assert/strict';
import { closeSync, openSync, writeSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { StoreFailure } from '../../../src/errors.ts';
import { openSqlite } from '../../../src/stores/sqlite/index.ts';
import { createDirectory } from '../../harness/directory.ts';

const ALL = { after: undefined, tag: undefined, limit: 1_000 };

/** Opens an engine on a file with the plants 0 to 999 and no log. */
async function openStore() {
  const directory = createDirectory();
  const path = directory.at('plants.db');
  const told: unknown[] = [];
  const open = () => openSqlite(path, { queueLimit: 10, random: Math.random, onFatal: (cause) => told.push(cause) });
  const first = await open();
  const plants = Array.from({ length: 1_000 }, (_, id) => ({ id: BigInt(id), name: 'x'.repeat(200) }));
  await first.plants.createMany('default', plants);
  await first.close();
  const engine = await open();
  return {
    path,
    told,
    plants: engine.plants,
    async [Symbol.asyncDispose]() {
      await engine.close();
      directory[Symbol.dispose]();
    },
  };
}

function isDamage(error: unknown): boolean {
  return error instanceof StoreFailure && error.message.startsWith('the store is damaged');
}

test('only reads of a damaged page fail', async () => {
  await using store = await openStore();
  // The leaf with the highest ids.
  const database = new DatabaseSync(store.path);
  const leaves = database.prepare("SELECT max(pageno) AS last FROM dbstat WHERE name = 'plants' AND pagetype = 'leaf'");
  const last = Number(leaves.get()?.['last']);
  database.close();
  const file = openSync(store.path, 'r+');
  writeSync(file, Buffer.alloc(4_096, 0xa5), 0, 4_096, 4_096 * (last - 1));
  closeSync(file);
  for (let i = 0; i < 2; i++) {
    await assert.rejects(store.plants.list('default', ALL), isDamage);
    assert.equal((await store.plants.get('default', 0n))?.name, 'x'.repeat(200));
  }
  assert.deepEqual(store.told, []);
});

test('a row that the service would not have stored is treated as damage', async () => {
  await using store = await openStore();
  const database = new DatabaseSync(store.path);
  database.enableDefensive(false);
  // Imitates flipped bits: without the rules of the table, any value can be written.
  database.exec(`PRAGMA writable_schema = ON;
    UPDATE sqlite_schema SET sql = replace(replace(sql, 'STRICT, ', ''), 'NOT NULL,', ',') WHERE name = 'plants';
    PRAGMA writable_schema = RESET`);
  database.exec(`UPDATE plants SET name = NULL WHERE id = 1; UPDATE plants SET name = x'00' WHERE id = 2;
    UPDATE plants SET tag = x'00' WHERE id = 3; UPDATE plants SET version = NULL WHERE id = 4`);
  database.close();
  for (const id of [1n, 2n, 3n, 4n]) await assert.rejects(store.plants.get('default', id), isDamage);
  assert.equal((await store.plants.get('default', 5n))?.id, 5n);
  await assert.rejects(store.plants.list('default', ALL), isDamage);
  assert.equal((await store.plants.list('default', { ...ALL, after: 4n })).length, 995);
});

test('a missing row of a store is damage: the service writes no more', async () => {
  await using store = await openStore();
  await store.plants.create('default', { id: 1_000n, name: 'Aloe' });
  const change = (...statements: readonly string[]) => {
    const database = new DatabaseSync(store.path);
    database.enableDefensive(false);
    database.exec(`PRAGMA foreign_keys = OFF; PRAGMA writable_schema = ON; ${statements.join('; ')}`);
    database.close();
  };
  // Imitates a lost page of the table: its index still has the store.
  const index = "name = 'sqlite_autoindex_stores_1'";
  const rename = (from: string, to: string) =>
    `UPDATE sqlite_schema SET sql = replace(sql, '${from}', '${to}') WHERE name = 'stores'`;
  change(
    `CREATE TABLE kept AS SELECT * FROM sqlite_schema WHERE ${index}`,
    `DELETE FROM sqlite_schema WHERE ${index}`,
    rename('NOT NULL UNIQUE', 'NOT NULL'),
  );
  change('DELETE FROM stores');
  change('INSERT INTO sqlite_schema SELECT * FROM kept', rename('NOT NULL', 'NOT NULL UNIQUE'));
  await assert.rejects(store.plants.create('default', { id: 1_001n, name: 'Fern' }), isDamage);
  assert.equal(store.told.length, 1);
});
