import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestService } from './harness/service.ts';

test('a plant that was created can be listed, read, replaced and deleted', async () => {
  await using service = await startTestService();
  const { client } = service;
  const created = await client.send('POST', '/plants', {
    body: { id: 2n ** 63n - 1n, name: 'Aloe', tag: 'succulent' },
  });
  assert.equal(created.status, 200);
  assert.deepEqual(created.json(), { name: 'Aloe', tag: 'succulent' });
  assert.equal(created.headers.location, '/plants/9223372036854775807');
  const listed = await client.send('GET', '/plants');
  assert.deepEqual(listed.json(), [{ id: 2n ** 63n - 1n, name: 'Aloe', tag: 'succulent' }]);
  const read = await client.send('GET', '/plants/9223372036854775807');
  const replaced = await client.send('PUT', '/plants/9223372036854775807', {
    body: { name: 'Agave' },
    headers: { 'If-Match': read.headers.etag ?? '' },
  });
  assert.deepEqual(replaced.json(), { id: 2n ** 63n - 1n, name: 'Agave' });
  assert.equal((await client.send('DELETE', '/plants/9223372036854775807')).status, 204);
  assert.equal((await client.send('GET', '/plants/9223372036854775807')).status, 404);
});
