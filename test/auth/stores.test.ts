import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Client, type ClientResponse, errorOf } from '../harness/client.ts';
import { briefOrLong } from '../harness/long.ts';
import { startTestService } from '../harness/service.ts';

const STORES = ['north', 'south'] as const;
const IDS = [-1n, 0n, 7n, 2n ** 63n - 1n];

interface Plant {
  readonly name: string;
  readonly tag?: string;
}

type Step =
  | { readonly kind: 'create' | 'replace'; readonly store: number; readonly id: bigint; readonly plant: Plant }
  | { readonly kind: 'get' | 'delete' | 'list'; readonly store: number; readonly id: bigint };

/** Names and tags contain their store, so that a leak is noticed. */
const step: fc.Arbitrary<Step> = fc
  .record({
    kind: fc.constantFrom('create', 'replace', 'get', 'delete', 'list'),
    store: fc.nat({ max: 1 }),
    id: fc.constantFrom(...IDS),
    name: fc.nat({ max: 2 }),
    tagged: fc.boolean(),
  })
  .map(({ kind, store, id, name, tagged }) => {
    if (kind !== 'create' && kind !== 'replace') return { kind, store, id };
    const own = STORES[store] as string;
    return { kind, store, id, plant: { name: `${own}-${name}`, ...(tagged ? { tag: own } : {}) } };
  });

/** A model of one store. Its responses must not depend on the other store. */
class Alone {
  readonly plants = new Map<bigint, Plant>();

  status(one: Step): number {
    const there = this.plants.get(one.id);
    if (one.kind === 'list') return 200;
    if (one.kind === 'create') {
      if (there === undefined) this.plants.set(one.id, one.plant);
      return there === undefined || (there.name === one.plant.name && there.tag === one.plant.tag) ? 200 : 400;
    }
    if (there === undefined) return 404;
    if (one.kind === 'replace') this.plants.set(one.id, one.plant);
    if (one.kind === 'delete') this.plants.delete(one.id);
    return one.kind === 'delete' ? 204 : 200;
  }

  page(): readonly unknown[] {
    const ascending = [...this.plants].sort(([a], [b]) => (a < b ? -1 : 1));
    return ascending.map(([id, plant]) => ({ id: Number.isSafeInteger(Number(id)) ? Number(id) : id, ...plant }));
  }
}

function perform(client: Client, one: Step): Promise<ClientResponse> {
  const at = `/plants/${one.id}`;
  if (one.kind === 'create') return client.send('POST', '/plants', { body: { id: one.id, ...one.plant } });
  if (one.kind === 'replace') return client.send('PUT', at, { body: one.plant });
  if (one.kind === 'delete') return client.send('DELETE', at);
  return client.send('GET', one.kind === 'get' ? at : '/plants');
}

test('a store responds as if it were the only one, while the other uses the same ids', async () => {
  await using service = await startTestService();
  const clients = [await service.as({ store: STORES[0] }), await service.as({ store: STORES[1] })] as const;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
      for (const client of clients) for (const id of IDS) await client.send('DELETE', `/plants/${id}`);
      const models = [new Alone(), new Alone()] as const;
      for (const one of steps) {
        const mine = one.store === 0 ? 0 : 1;
        const response = await perform(clients[mine], one);
        assert.equal(response.status, models[mine].status(one), `${one.kind} ${one.id}: ${response.text}`);
        assert.ok(!response.text.includes(STORES[1 - mine] as string), `the other store shows in ${response.text}`);
        for (const [i, model] of models.entries()) {
          const page = await (clients[i] as Client).send('GET', '/plants');
          assert.deepEqual(page.json(), model.page());
        }
      }
    }),
    { numRuns: briefOrLong(6, 20) },
  );
});

test('a cursor of one store is refused in another, and its entity tags match nothing there', async () => {
  await using service = await startTestService();
  const [north, south] = [await service.as({ store: 'north' }), await service.as({ store: 'south' })];
  for (const client of [north, south]) {
    for (const id of [1, 2, 3]) await client.send('POST', '/plants', { body: { id, name: 'Aloe' } });
  }
  const link = (await north.send('GET', '/plants?limit=1')).headers['link'] ?? '';
  const next = /<([^>]+)>/.exec(String(link))?.[1] ?? '';
  assert.equal((await north.send('GET', next)).status, 200);
  assert.equal(errorOf(await south.send('GET', next)), 40006);

  const tag = (await north.send('GET', '/plants/1')).headers.etag ?? '';
  assert.equal((await north.send('GET', '/plants/1', { headers: { 'If-None-Match': tag } })).status, 304);
  assert.equal((await south.send('GET', '/plants/1', { headers: { 'If-None-Match': tag } })).status, 200);
  assert.equal((await south.send('DELETE', '/plants/1', { headers: { 'If-Match': tag } })).status, 412);
  const put = { body: { name: 'Agave' }, headers: { 'If-Match': tag } };
  assert.equal((await south.send('PUT', '/plants/1', put)).status, 412);
  assert.equal((await north.send('PUT', '/plants/1', put)).status, 200);
});
