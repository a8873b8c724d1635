import assert from 'node:assert/strict';
import { test } from 'node:test';
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
