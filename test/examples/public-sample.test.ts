/** A client of the well-known public plant-store sample works with this service unchanged. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestService } from '../harness/service.ts';

/** A client as people write it for the sample: plain fetch and three operations. */
function sampleClient(url: string, token: string) {
  const call = async (method: string, path: string, body?: unknown) => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const response = await fetch(url + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  };
  return {
    list: (limit?: number) => call('GET', limit === undefined ? '/plants' : `/plants?limit=${limit}`),
    create: (plant: { id: number; name: string; tag?: string }) => call('POST', '/plants', plant),
    remove: (id: number) => call('DELETE', `/plants/${id}`),
  };
}

test('the client of the sample can list, create and delete plants', async () => {
  await using service = await startTestService();
  const plants = sampleClient(service.client.url, service.client.token);
  assert.deepEqual(await plants.list(), { status: 200, body: [] });
  const aloe = { name: 'Aloe vera', tag: 'succulent' };
  assert.deepEqual(await plants.create({ id: 1, ...aloe }), { status: 200, body: aloe });
  assert.deepEqual(await plants.create({ id: 2, name: 'Agave' }), { status: 200, body: { name: 'Agave' } });
  const { status, body } = await plants.list(1);
  assert.equal(status, 200);
  // The Plant of the sample has a name and an optional tag. The client ignores all other members.
  const [{ name, tag }, ...others] = body;
  assert.deepEqual([{ name, tag }, others], [aloe, []]);
  assert.deepEqual(await plants.remove(1), { status: 204, body: undefined });
  // The Error of the sample has a number and a message. Its status is 400.
  const refused = await plants.create({ id: 1.5, name: 'Aloe vera' });
  assert.equal(refused.status, 400);
  assert.deepEqual([typeof refused.body.error, typeof refused.body.message], ['number', 'string']);
});
