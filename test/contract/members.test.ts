/** The service keeps every member of a plant, in every way to write and read it. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { enterSandbox } from '../features/sandbox/sandbox.ts';
import { errorOf } from '../harness/client.ts';
import { createDatabase } from '../harness/database.ts';
import { createDirectory } from '../harness/directory.ts';
import { runCommand } from '../harness/process.ts';
import { startTestService, type TestService } from '../harness/service.ts';
import { longestOf, otherOf, wholeOf } from './document.ts';

/** The member of an event that contains what a member of the plant was before. */
const previousName = (name: string) => `previous${name.charAt(0).toUpperCase()}${name.slice(1)}`;

test('creating and replacing keep every member of a plant, and reading and listing return it', async () => {
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

for (const [place, enter] of [
  ['a store', ({ client }: TestService) => client],
  ['a sandbox', enterSandbox],
] as const) {
  test(`a repeated POST compares every member of a plant, and events contain every member, in ${place}`, async () => {
    await using service = await startTestService({ sandboxes: 10, events: true });
    const client = await enter(service);
    const plant = wholeOf('NewPlant');
    const other = otherOf('Plant');
    const post = (body: object) => client.send('POST', '/plants', { body });
    assert.equal((await post(plant)).status, 200);
    assert.equal((await post(plant)).status, 200);
    for (const [name, value] of Object.entries(other)) {
      assert.equal(errorOf(await post({ ...plant, [name]: value })), 40009, `another ${name}`);
    }
    assert.equal((await client.send('PUT', `/plants/${plant['id']}`, { body: other })).status, 200);
    assert.equal((await client.send('DELETE', `/plants/${plant['id']}`)).status, 204);

    const events = (await client.send('GET', '/events')).json() as { type: string; data: object }[];
    const replaced = { id: plant['id'], ...other };
    const previous = Object.keys(other).map((name) => [previousName(name), plant[name]]);
    assert.deepEqual(
      events.filter(({ type }) => type.startsWith('plant.')).map(({ type, data }) => [type, data]),
      [
        ['plant.created', wholeOf('StoredPlant')],
        ['plant.replaced', { ...replaced, ...Object.fromEntries(previous) }],
        ['plant.deleted', replaced],
      ],
    );
    client.close();
  });
}

test('a sandbox keeps every member of a plant in a snapshot', async () => {
  await using service = await startTestService({ sandboxes: 10 });
  const client = await enterSandbox(service);
  const whole = wholeOf('NewPlant');
  assert.equal((await client.send('POST', '/plants', { body: whole })).status, 200);
  assert.equal((await client.send('POST', '/sandbox/snapshots')).status, 201);
  assert.equal((await client.send('DELETE', `/plants/${whole['id']}`)).status, 204);
  assert.equal((await client.send('POST', '/sandbox/reset?snapshot=1')).status, 204);
  assert.deepEqual((await client.send('GET', '/plants')).json(), [wholeOf('StoredPlant')]);
  client.close();
});

test('import and export keep every member of a plant', async () => {
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

test('a plant with the longest texts that the description allows passes plantstore check', async () => {
  await using database = await createDatabase();
  using directory = createDirectory();
  const file = directory.at('longest.ndjson');
  writeFileSync(file, JSON.stringify(longestOf('NewPlant')));
  for (const args of [['import', file], ['check']]) {
    const { code, stderr } = await runCommand([...args, '--database', database.url]);
    assert.equal(code, 0, stderr);
  }
});
