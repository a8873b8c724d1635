/** Compares every response to one client, including pages, entity tags and restarts, with a Map as the model. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Client, type ClientResponse, errorOf } from '../harness/client.ts';
import { startTestService, type TestService } from '../harness/service.ts';
import { empty } from './empty.ts';

const IDS = [-(2n ** 63n), -1n, 0n, 2n ** 53n + 1n, 2n ** 63n - 1n] as const;
const text = fc.oneof(
  fc.constantFrom('', 'a', 'b'),
  fc.string({ unit: 'grapheme', maxLength: 12 }).filter((value) => !value.includes('\0')),
);
const plant = fc.record(
  { name: text, tag: fc.oneof(fc.constantFrom('', 't', 'T'), text) },
  { requiredKeys: ['name'], noNullPrototype: true },
);
type Plant = { readonly name: string; readonly tag?: string };

interface Kept {
  readonly plant: Plant;
  /** Undefined until a response contained it. */
  readonly etag: string | undefined;
}
type Model = Map<bigint, Kept>;
interface Real {
  readonly service: TestService;
  /** Every tag that was seen, with its content. */
  readonly tags: Map<string, string>;
}
type Command = fc.AsyncCommand<Model, Real>;

function command(label: string, run: (model: Model, real: Real, client: Client) => Promise<void>): Command {
  return {
    check: () => true,
    run: (model, real) => run(model, real, real.service.client),
    toString: () => label,
  };
}

/** `etag` describes If-Match: absent, the plant's tag, any, or a wrong tag. */
const condition = fc.constantFrom('none', 'own', 'any', 'wrong');
const id = fc.constantFrom(...IDS);

const create = fc.tuple(id, plant).map(([id, wanted]) =>
  command(`create ${id} ${JSON.stringify(wanted)}`, async (model, _real, client) => {
    const response = await client.send('POST', '/plants', { body: { id, ...wanted } });
    const there = model.get(id);
    if (there !== undefined && !same(there.plant, wanted)) {
      assert.equal(errorOf(response), 40009);
      return;
    }
    assert.deepEqual([response.status, response.json()], [200, wanted]);
    assert.equal(response.headers.location, `/plants/${id}`);
    if (there === undefined) model.set(id, { plant: wanted, etag: undefined });
  }),
);

const get = fc.tuple(id, fc.boolean()).map(([id, conditional]) =>
  command(`get ${id}${conditional ? ' if changed' : ''}`, async (model, real, client) => {
    const there = model.get(id);
    const headers = conditional && there?.etag !== undefined ? { 'If-None-Match': there.etag } : {};
    const response = await client.send('GET', `/plants/${id}`, { headers });
    if (there === undefined) {
      assert.equal(errorOf(response), 40401);
    } else if (Object.keys(headers).length > 0) {
      assert.deepEqual([response.status, response.headers.etag], [304, there.etag]);
    } else {
      assert.deepEqual([response.status, exact(response.json())], [200, { id, ...there.plant }]);
      model.set(id, { plant: there.plant, etag: learn(real, id, response, there) });
    }
  }),
);

const replace = fc.tuple(id, plant, condition).map(([id, wanted, when]) =>
  command(`replace ${id} ${JSON.stringify(wanted)} if ${when}`, async (model, real, client) => {
    const there = model.get(id);
    const { headers, holds } = conditionOf(when, there);
    const response = await client.send('PUT', `/plants/${id}`, { body: wanted, headers });
    if (there === undefined) assert.equal(errorOf(response), 40401);
    else if (!holds) assert.equal(errorOf(response), 41200);
    else {
      assert.deepEqual([response.status, exact(response.json())], [200, { id, ...wanted }]);
      model.set(id, { plant: wanted, etag: learn(real, id, response, { plant: wanted, etag: undefined }) });
    }
  }),
);

const remove = fc.tuple(id, condition).map(([id, when]) =>
  command(`delete ${id} if ${when}`, async (model, _real, client) => {
    const there = model.get(id);
    const { headers, holds } = conditionOf(when, there);
    const response = await client.send('DELETE', `/plants/${id}`, { headers });
    if (there === undefined) assert.equal(errorOf(response), 40401);
    else if (!holds) assert.equal(errorOf(response), 41200);
    else {
      assert.equal(response.status, 204);
      model.delete(id);
    }
  }),
);

const list = fc
  .tuple(fc.integer({ min: 1, max: 6 }), fc.option(fc.constantFrom('', 't', 'T', 'a')))
  .map(([limit, tag]) =>
    command(`list ${limit} ${JSON.stringify(tag)}`, async (model, _real, client) => {
      const query = new URLSearchParams({ limit: String(limit), ...(tag !== null && { tag }) });
      const found: unknown[] = [];
      for (let target: string | undefined = `/plants?${query}`; target !== undefined; ) {
        const response: ClientResponse = await client.send('GET', target);
        const page = response.json() as unknown[];
        found.push(...page.map(exact));
        target = /^<([^>]*)>/.exec(String(response.headers['link'] ?? ''))?.[1];
        if (target !== undefined) assert.equal(page.length, limit);
      }
      const expected = IDS.flatMap((id) => {
        const there = model.get(id)?.plant;
        return there === undefined || (tag !== null && there.tag !== tag) ? [] : [{ id, ...there }];
      });
      assert.deepEqual(found, expected);
    }),
  );

const restart = fc.constant(command('restart', (_model, { service }) => service.restart()));

test('one client gets the same responses as from a map of plants, across restarts', async () => {
  await using service = await startTestService();
  const many = [create, get, replace, remove, list].map((arbitrary) => ({ arbitrary, weight: 6 }));
  const commands = fc.oneof(...many, { arbitrary: restart, weight: 1 });
  const tags = new Map<string, string>();
  await fc.assert(
    fc.asyncProperty(fc.commands([commands], { maxCommands: 60, size: '+1' }), async (sequence) => {
      await empty(service);
      await fc.asyncModelRun(() => ({ model: new Map() as Model, real: { service, tags } }), sequence);
    }),
    { numRuns: 15 },
  );
});

function conditionOf(when: 'none' | 'own' | 'any' | 'wrong', there: Kept | undefined) {
  if (when === 'any') return { headers: { 'If-Match': '*' }, holds: true };
  if (when === 'wrong') return { headers: { 'If-Match': '"nothing-has-this-tag"' }, holds: false };
  if (when === 'own' && there?.etag !== undefined)
    return { headers: { 'If-Match': `"x", ${there.etag}` }, holds: true };
  return { headers: {}, holds: true };
}

/** Returns the response's tag. It must be the known tag, or a tag that no other content of this id ever had. */
function learn({ tags }: Real, id: bigint, response: ClientResponse, there: Kept): string {
  const etag = response.headers.etag ?? '';
  if (there.etag !== undefined) {
    assert.equal(etag, there.etag);
    return etag;
  }
  const key = `${id} ${etag}`;
  assert.ok(!tags.has(key), `the tag ${etag} of ${id} came back; it was of ${tags.get(key)}`);
  tags.set(key, JSON.stringify(there.plant));
  return etag;
}

function same(one: Plant, other: Plant): boolean {
  return one.name === other.name && one.tag === other.tag;
}

/** Returns a listed plant with its id as bigint. */
function exact(value: unknown): unknown {
  const { id, ...rest } = value as { id: number | bigint };
  return { id: BigInt(id), ...rest };
}
