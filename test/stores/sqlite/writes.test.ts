import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QuotaExceeded } from '../../../src/plants/plant-store.ts';
import { openForCommand } from '../../../src/stores/open.ts';
import { createDirectory } from '../../harness/directory.ts';

test('a store that was new in a failed batch is created again by the next batch', async () => {
  using directory = createDirectory();
  const { plants, close } = await openForCommand(`sqlite:${directory.at('plants.db')}`, 'plants', true);
  const tooLarge = 2n ** 70n;
  const batch = await Promise.allSettled([1n, tooLarge].map((id) => plants.create('new', { id, name: 'Aloe' })));
  assert.deepEqual(new Set(batch.map(({ status }) => status)), new Set(['rejected']));
  assert.equal(await plants.create('new', { id: 1n, name: 'Aloe' }), 'created');
  assert.equal((await plants.get('new', 1n))?.name, 'Aloe');
  await close();
});

test('a store has a row from its first plant until it is removed, and no later write makes another one', async () => {
  using directory = createDirectory();
  const { plants, statements, close } = await openForCommand(`sqlite:${directory.at('plants.db')}`, 'plants', true);
  const stores = async () => (await statements.read('SELECT name FROM stores ORDER BY name')).map(([name]) => name);
  const limit = (store: string, most: number) =>
    statements.write('INSERT INTO quotas VALUES ($1, 0, 0, $2, 10000, 500)', [store, most]);
  const plant = { id: 1n, name: 'Aloe' };
  await limit('~live', 2);
  await limit('~full', 0);

  // These writes store no plant, with a quota or without one.
  for (const store of ['plain', '~live', '~unknown']) {
    assert.equal(await plants.replace(store, plant), 'absent');
    assert.equal(await plants.delete(store, 1n), 'absent');
    assert.deepEqual(await plants.createMany(store, []), []);
  }
  for (const store of ['~full', '~unknown']) await assert.rejects(plants.create(store, plant), QuotaExceeded);
  await plants.replaceAll('~unknown', [plant]);
  assert.equal(await plants.takeSnapshot('~live', { number: 1, at: 0, mostBytes: 1_000 }), true);
  assert.deepEqual(await stores(), []);

  assert.equal(await plants.create('plain', plant), 'created');
  await plants.replaceAll('~live', [plant]);
  await plants.createMany('~live', [plant, { id: 2n, name: 'Fern' }]);
  assert.deepEqual(await stores(), ['plain', '~live']);

  await plants.remove('~live');
  const late = await Promise.allSettled([
    plants.create('~live', plant),
    plants.createMany('~live', [plant]),
    plants.replace('~live', plant),
    plants.delete('~live', 1n),
    plants.replaceAll('~live', [plant]),
    plants.replaceAll('~live', 1),
    plants.takeSnapshot('~live', { number: 1, at: 0, mostBytes: 1_000 }),
  ]);
  assert.deepEqual(
    late.map(({ status }) => status),
    ['rejected', 'rejected', ...Array(5).fill('fulfilled')],
  );
  assert.deepEqual([await stores(), await plants.list('~live', { limit: 9 })], [['plain'], []]);
  await close();
});

test('a store that another process removed and made again takes the next write of any kind', async () => {
  using directory = createDirectory();
  const open = async () => {
    const engine = await openForCommand(`sqlite:${directory.at('plants.db')}`, 'plants', true);
    return { ...engine, [Symbol.asyncDispose]: () => engine.close() };
  };
  await using one = await open();
  await using other = await open();
  const limit = () => one.statements.write("INSERT INTO quotas VALUES ('~own', 0, 0, 10, 10000, 500)", []);
  const again = async () => {
    await one.plants.create('~own', { id: 1n, name: 'Aloe' });
    await other.plants.remove('~own');
    await limit();
    await other.plants.create('~own', { id: 2n, name: 'Fern' });
  };
  await limit();
  await again();
  assert.equal(await one.plants.create('~own', { id: 3n, name: 'Moss' }), 'created');
  await again();
  assert.equal(await one.plants.create('~own', { id: 2n, name: 'Fern' }), 'same');
  await again();
  assert.equal(typeof (await one.plants.replace('~own', { id: 2n, name: 'Ivy' })), 'object');
  await again();
  assert.equal(await one.plants.delete('~own', 2n), 'deleted');
  await again();
  await one.plants.replaceAll('~own', [{ id: 4n, name: 'Oak' }]);
  for (const { plants } of [one, other]) {
    assert.deepEqual(await plants.list('~own', { limit: 9 }), [{ id: 4n, name: 'Oak' }]);
  }
  assert.deepEqual((await one.check()).problems, []);
});
