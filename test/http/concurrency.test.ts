/** Concurrent creates of one id: exactly one body wins, and its repetitions are no conflict. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorOf } from '../harness/client.ts';
import { startTestService } from '../harness/service.ts';

const CLIENTS = 64;

test('one of several concurrent creates of an id with different names succeeds, the others get 40009', async () => {
  await using service = await startTestService();
  const { client } = service;
  for (let id = 0; id < 20; id++) {
    const bodies = Array.from({ length: CLIENTS }, (_, i) => ({ id, name: `client ${i}` }));
    const responses = await Promise.all(bodies.map((body) => client.send('POST', '/plants', { body })));
    const [winner, ...losers] = responses.toSorted((a, b) => a.status - b.status);
    assert.equal(winner?.status, 200);
    for (const loser of losers) assert.equal(errorOf(loser), 40009);
    const { name } = winner.json() as { name: string };
    assert.deepEqual((await client.send('GET', `/plants/${id}`)).json(), { id, name });
  }
});

test('concurrent creates with the same body all get 200 and store one plant', async () => {
  await using service = await startTestService();
  const { client } = service;
  for (let id = 0; id < 20; id++) {
    const body = { id, name: 'Aloe', tag: 'succulent' };
    const creates = Array.from({ length: CLIENTS }, () => client.send('POST', '/plants', { body }));
    for (const { text } of await Promise.all(creates)) assert.equal(text, '{"name":"Aloe","tag":"succulent"}');
  }
  const listed = (await client.send('GET', '/plants?limit=1000')).json() as { id: number }[];
  assert.deepEqual(new Set(listed.map(({ id }) => id)).size, 20);
  assert.equal(listed.length, 20);
});
