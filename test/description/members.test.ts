/** What the description lets a plant hold is kept, whichever way it comes in and goes out. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { createDatabase } from '../harness/database.ts';
import { createDirectory } from '../harness/directory.ts';
import { runCommand } from '../harness/process.ts';
import { startTestService } from '../harness/service.ts';
import { longestOf, wholeOf } from './document.ts';

test('every member of a plant is kept by create and by replace, and shown by read and list', async () => {
  await using service = await startTestService();
  const { client } = service;
  const path = `/plants/${wholeOf('NewPlant')['id']}`;
  assert.equal((await client.send('POST', '/plants', { body: wholeOf('NewPlant') })).status, 200);
  assert.deepEqual((await client.send('GET', path)).json(), wholeOf('StoredPlant'));
  assert.deepEqual((await client.send('GET', '/plants')).json(), [wholeOf('StoredPlant')]);

  assert.equal((await client.send('PUT', path, { body: { name: 'Agave' } })).status, 200);
  assert.equal((await client.send('PUT', path, { body: wholeOf('Plant') })).status, 200);
  assert.deepEqual((await client.send('GET', path)).json(), wholeOf('StoredPlant'));
});

test('every member of a plant is kept by import and export', async () => {
  await using database = await createDatabase();
  using directory = createDirectory();
  const run = async (...args: string[]) => {
    const { code, stderr } = await runCommand([...args, '--database', database.url]);
    assert.equal(code, 0, stderr);
  };
  const at = (name: string) => directory.at(name);
  writeFileSync(at('first.ndjson'), JSON.stringify(wholeOf('NewPlant')));
  await run('import', at('first.ndjson'));
  await run('export', at('first.csv'));
  await run('import', at('first.csv'), '--store', 'second');
  await run('export', at('second.ndjson'), '--store', 'second');
  assert.deepEqual(JSON.parse(readFileSync(at('second.ndjson'), 'utf8')), wholeOf('StoredPlant'));
});

test('a plant with texts as long as the description lets them be passes the check', async () => {
  await using database = await createDatabase();
  using directory = createDirectory();
  const file = directory.at('longest.ndjson');
  writeFileSync(file, JSON.stringify(longestOf('NewPlant')));
  for (const args of [['import', file], ['check']]) {
    const { code, stderr } = await runCommand([...args, '--database', database.url]);
    assert.equal(code, 0, stderr);
  }
});
