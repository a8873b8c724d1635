/** Compares every response to one client, including pages, entity tags and refusals, with a Map as the model. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type Call, type Client, type ClientResponse, errorOf, toJson } from '../harness/client.ts';

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
export type Model = Map<bigint, Kept>;
export interface Real {
  /** Only this client writes to its store, which is empty at first. */
  readonly client: Client;
  restart(): Promise<void>;
  /** Every tag that was seen, with its content. */
  readonly tags: Map<string, string>;
}
export type Command = fc.AsyncCommand<Model, Real>;

/** A command that can run at any time. */
export function createCommand<M extends object, R extends { readonly client: Client }>(
  label: string,
  run: (model: M, real: R, client: Client) => Promise<void>,
): fc.AsyncCommand<M, R> {
  return {
    check: () => true,
    run: (model, real) => run(model, real, real.client),
    toString: () => label,
  };
}
const command = createCommand<Model, Real>;

/** If-Match and If-None-Match: absent, the plant's tag, any, or a wrong tag. */
type Condition = 'none' | 'own' | 'any' | 'wrong' | 'not own' | 'not any' | 'not wrong';
const condition = fc.constantFrom<Condition>('none', 'own', 'any', 'wrong', 'not own', 'not any', 'not wrong');
export const id = fc.constantFrom(...IDS);

const createOne = (id: bigint, wanted: Plant) =>
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
  });
const create = fc.tuple(id, plant).map(([id, wanted]) => createOne(id, wanted));

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

const deleteOne = (id: bigint, when: Condition) =>
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
  });
const remove = fc.tuple(id, condition).map(([id, when]) => deleteOne(id, when));

/** Deletes a plant, or creates it. So the command changes the store in every case. */
export const toggle: fc.Arbitrary<Command> = fc.tuple(id, plant).map(([id, wanted]) =>
  command(`delete or create ${id} ${JSON.stringify(wanted)}`, (model, real) => {
    const change = model.has(id) ? deleteOne(id, 'none') : createOne(id, wanted);
    return change.run(model, real);
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
      const expected = plantsOf(model).filter((one) => tag === null || one.tag === tag);
      assert.deepEqual(found, expected);
    }),
  );

/** Restarts the service. What is confirmed stays. */
export const restart = fc.constant(command('restart', (_model, real) => real.restart()));

/** Anything but a valid value of the member. */
const WRONG = {
  id: fc.constantFrom(null, '12', 12.5, [], {}, true, 2n ** 63n, -(2n ** 63n) - 1n),
  name: fc.constantFrom(null, 12, [], {}, false, 'a\0', 'a'.repeat(1_025), '\ud800'),
  tag: fc.constantFrom(null, 12, [], {}, true, '\0', '🌵'.repeat(1_025)),
};
const wrongBody = fc
  .tuple(fc.constantFrom('id', 'name', 'tag'), id, plant)
  .chain(([member, id, wanted]) => WRONG[member].map((wrong) => ({ id, ...wanted, [member]: wrong })));
const wrongId = fc.constantFrom('12.0', '+1', '007', '1e3', '9223372036854775808', 'a', '%20');
const wrongQuery = fc.constantFrom(
  'limit=0',
  'limit=1001',
  'limit=1.5',
  'limit=',
  'limit=1&limit=2',
  'after=x',
  'tag=%00',
);

export interface Refused extends Call {
  readonly method: string;
  readonly target: string;
  readonly error: number;
}

const onId = fc.tuple(fc.constantFrom('GET', 'PUT', 'DELETE'), id);

/** Requests that no state of the store can satisfy, with the error of each. */
export const refusedRequest: fc.Arbitrary<Refused> = fc.oneof(
  wrongBody.map((body) => ({ method: 'POST', target: '/plants', body, error: 40005 })),
  plant.map((body) => ({ method: 'POST', target: '/plants', body: toJson(body).slice(1), error: 40004 })),
  fc.constant({ method: 'POST', target: '/plants', error: 40001 }),
  fc.constantFrom('text/plain', 'application/xml', 'application/json; charset=latin1').map((type) => {
    return { method: 'POST', target: '/plants', body: '{}', headers: { 'Content-Type': type }, error: 40002 };
  }),
  fc
    .tuple(fc.constantFrom('GET', 'DELETE'), wrongId)
    .map(([method, wrong]) => ({ method, target: `/plants/${wrong}`, error: 40006 })),
  wrongQuery.map((query) => ({ method: 'GET', target: `/plants?${query}`, error: 40006 })),
  id.map((id) => ({ method: 'PATCH', target: `/plants/${id}`, error: 40500 })),
  id.map((id) => ({ method: 'GET', target: `/plant/${id}`, error: 40400 })),
  onId.map(([method, id]) => ({ method, target: `/plants/${id}`, token: null, error: 40100 })),
  onId.map(([method, id]) => ({ method, target: `/plants/${id}`, token: 'pst_wrong', error: 40101 })),
  // The credential comes before the input.
  wrongBody.map((body) => ({ method: 'POST', target: '/plants', body, token: 'pst_wrong', error: 40101 })),
);

export const refuse = ({ method, target, error, ...call }: Refused): Command =>
  command(`${method} ${target} ${toJson(call)} is refused`, async (_model, _real, client) => {
    assert.equal(errorOf(await client.send(method, target, call)), error);
  });

/** Requests with valid input. */
const VALID = [create, get, replace, remove, list];
export const validRequest: fc.Arbitrary<Command> = fc.oneof(...VALID);
/** Any request of one client. */
export const anyRequest: fc.Arbitrary<Command> = fc.oneof(...VALID, refusedRequest.map(refuse));

function conditionOf(when: Condition, there: Kept | undefined) {
  if (when === 'any') return { headers: { 'If-Match': '*' }, holds: true };
  if (when === 'wrong') return { headers: { 'If-Match': '"nothing-has-this-tag"' }, holds: false };
  if (when === 'not any') return { headers: { 'If-None-Match': '*' }, holds: false };
  if (when === 'not wrong') return { headers: { 'If-None-Match': '"nothing-has-this-tag"' }, holds: true };
  if (when === 'own' && there?.etag !== undefined)
    return { headers: { 'If-Match': `"x", ${there.etag}` }, holds: true };
  if (when === 'not own' && there?.etag !== undefined)
    return { headers: { 'If-None-Match': `"x", W/${there.etag}` }, holds: false };
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

/** Returns the plants in the order of a list. */
export function plantsOf(model: Model): readonly (Plant & { readonly id: bigint })[] {
  const ids = [...model.keys()].sort((a, b) => (a < b ? -1 : 1));
  return ids.map((id) => ({ id, ...(model.get(id) as Kept).plant }));
}

/** Returns a listed plant with its id as bigint. */
export function exact(value: unknown): unknown {
  const { id, ...rest } = value as { id: number | bigint };
  return { id: BigInt(id), ...rest };
}
