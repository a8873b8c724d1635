/**
 * The store is a map of plants, restarts included. For one client at a time a Map foretells every response, pages and
 * entity tags too. For several at once, which share a few ids so that their writes meet, the history of every plant has to
 * be linearizable: as if each request had happened at one moment between its sending and its response.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Client, type ClientResponse, errorOf } from '../harness/client.ts';
import { startTestService, type TestService } from '../harness/service.ts';
import { type Event, isLinearizable, type State } from './linearizability.ts';

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

// ── One client: a Map foretells every response ────────────────────────────────────────────────────────────────────────

interface Kept {
  readonly plant: Plant;
  /** Undefined until a response told it. */
  readonly etag: string | undefined;
}
type Model = Map<bigint, Kept>;
interface Real {
  readonly service: TestService;
  /** Every tag ever seen, with the content it was seen with. */
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

/** `etag` is the state of If-Match: none given, the plant's own, any, or a wrong one. */
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

test('one client at a time gets every response that a map of plants would give, restarts included', async () => {
  await using service = await startTestService();
  const many = [create, get, replace, remove, list].map((arbitrary) => ({ arbitrary, weight: 6 }));
  const commands = fc.oneof(...many, { arbitrary: restart, weight: 1 });
  const tags = new Map<string, string>();
  await fc.assert(
    fc.asyncProperty(fc.commands([commands], { maxCommands: 60, size: '+1' }), async (sequence) => {
      await empty(service);
      await fc.asyncModelRun(() => ({ model: new Map() as Model, real: { service, tags } }), sequence);
    }),
    { numRuns: 30 },
  );
});

function conditionOf(when: 'none' | 'own' | 'any' | 'wrong', there: Kept | undefined) {
  if (when === 'any') return { headers: { 'If-Match': '*' }, holds: true };
  if (when === 'wrong') return { headers: { 'If-Match': '"nothing-has-this-tag"' }, holds: false };
  if (when === 'own' && there?.etag !== undefined)
    return { headers: { 'If-Match': `"x", ${there.etag}` }, holds: true };
  return { headers: {}, holds: true };
}

/** The response's tag: the one known already, or else one that nothing else of this id ever had. */
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

// ── Several clients: the history of every plant is linearizable ─────────────────────────────────────────────────────

type Step =
  | { readonly does: 'create' | 'replace'; readonly id: bigint; readonly plant: Plant; readonly when: When }
  | { readonly does: 'get' | 'delete'; readonly id: bigint; readonly when: When }
  | { readonly does: 'list'; readonly limit: number; readonly tag: string | null };
/** `seen`: on the tag that this client saw last. */
type When = 'always' | 'seen';

const SHARED = [IDS[0], IDS[4]] as const;
const when = fc.constantFrom<When>('always', 'seen');
const shared = fc.constantFrom(...SHARED);
const few = fc.record(
  { name: fc.constantFrom('a', 'b'), tag: fc.constantFrom('t', 'u') },
  { requiredKeys: ['name'], noNullPrototype: true },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ does: fc.constantFrom('create' as const, 'replace' as const), id: shared, plant: few, when }),
  fc.record({ does: fc.constantFrom('get' as const, 'delete' as const), id: shared, when }),
  fc.record({
    does: fc.constant('list' as const),
    limit: fc.integer({ min: 1, max: 3 }),
    tag: fc.constantFrom(null, 't'),
  }),
);
const CLIENTS = 4;
const round = fc.array(fc.array(step, { minLength: 1, maxLength: 10, size: '+1' }), {
  minLength: CLIENTS,
  maxLength: CLIENTS,
});

test('several clients at once see of every plant what one client at a time could see, restarts in between', async () => {
  await using service = await startTestService();
  const clients = [service.client];
  while (clients.length < CLIENTS) clients.push(await service.as({}));
  let overlapping = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(round, { minLength: 1, maxLength: 3 }), async (rounds) => {
      await empty(service);
      const histories = new Map<bigint, Event[]>(SHARED.map((id) => [id, []]));
      const tags = clients.map(() => new Map<bigint, string>());
      let clock = 0;
      for (const [i, steps] of rounds.entries()) {
        if (i > 0) await service.restart();
        const run = async (client: Client, own: readonly Step[], seen: Map<bigint, string>) => {
          for (const one of own) {
            const sent = clock++;
            const effects = await perform(client, one, seen);
            const answered = clock++;
            if (answered > sent + 1) overlapping++;
            for (const [id, label, apply] of effects) {
              histories.get(id)?.push({ sent, answered, apply, label: `${sent}–${answered} ${label}` });
            }
          }
        };
        await Promise.all(clients.map((client, c) => run(client, steps[c] ?? [], tags[c] ?? new Map())));
      }
      for (const [id, events] of histories) {
        assert.ok(isLinearizable(events), `plant ${id}:\n${events.map(({ label }) => label).join('\n')}`);
      }
    }),
    { numRuns: 60 },
  );
  assert.ok(overlapping > 1_000, `only ${overlapping} requests overlapped another`);
});

type Effect = readonly [id: bigint, label: string, apply: Event['apply']];

/** Sends one request; the result says what its response means for each plant that it tells something of. */
async function perform(client: Client, step: Step, seen: Map<bigint, string>): Promise<Effect[]> {
  if (step.does === 'list') return performList(client, step.limit, step.tag);
  const { id } = step;
  const known = step.when === 'seen' ? seen.get(id) : undefined;
  if (step.does === 'create') {
    const content = contentOf(step.plant);
    const response = await client.send('POST', '/plants', { body: { id, ...step.plant } });
    const taken = response.status === 400 && errorOf(response) === 40009;
    assert.ok(taken || response.status === 200, response.text);
    return [
      effect(id, step, response, (state) => {
        if (taken) return state !== undefined && state.content !== content ? state : 'impossible';
        if (state === undefined) return { content, etag: undefined };
        return state.content === content ? state : 'impossible';
      }),
    ];
  }
  if (step.does === 'get') {
    const headers = known === undefined ? {} : { 'If-None-Match': known };
    const response = await client.send('GET', `/plants/${id}`, { headers });
    if (response.status === 404)
      return [effect(id, step, response, (state) => (state === undefined ? state : 'impossible'))];
    const etag = response.headers.etag ?? '';
    seen.set(id, etag);
    if (response.status === 304) return [effect(id, step, response, (state) => bind(state, etag))];
    assert.equal(response.status, 200);
    const content = contentOf(response.json() as Plant);
    return [
      effect(id, step, response, (state) =>
        state?.content !== content || etag === known ? 'impossible' : bind(state, etag),
      ),
    ];
  }
  const headers = known === undefined ? {} : { 'If-Match': known };
  const replaces = step.does === 'replace';
  const body = replaces ? step.plant : undefined;
  const response = await client.send(replaces ? 'PUT' : 'DELETE', `/plants/${id}`, { body, headers });
  if (response.status === 404)
    return [effect(id, step, response, (state) => (state === undefined ? state : 'impossible'))];
  if (response.status === 412) {
    assert.ok(known !== undefined, 'a 412 without a condition');
    return [
      effect(id, step, response, (state) => (state === undefined || state.etag === known ? 'impossible' : state)),
    ];
  }
  assert.equal(response.status, replaces ? 200 : 204, response.text);
  const etag = response.headers.etag;
  if (etag !== undefined) seen.set(id, etag);
  return [
    effect(id, step, response, (state) => {
      const before = known === undefined ? state : bind(state, known);
      if (before === undefined || before === 'impossible') return 'impossible';
      return replaces ? { content: contentOf(step.plant), etag } : undefined;
    }),
  ];
}

/** A page tells of every plant up to its last one, or when it is the last page, of all. */
async function performList(client: Client, limit: number, tag: string | null): Promise<Effect[]> {
  const filter = tag === null ? '' : `&tag=${tag}`;
  const response = await client.send('GET', `/plants?limit=${limit}${filter}`);
  const page = (response.json() as { id: number | bigint; name: string; tag?: string }[]).map((one) => ({
    ...one,
    id: BigInt(one.id),
  }));
  const last = response.headers['link'] === undefined ? undefined : page.at(-1)?.id;
  return SHARED.filter((id) => last === undefined || id <= last).map((id) => {
    const listed = page.find((one) => one.id === id);
    const label = `list ${limit} ${tag}: ${id} ${listed === undefined ? 'absent' : contentOf(listed)}`;
    return [
      id,
      label,
      (state: State) => {
        const shown = state !== undefined && (tag === null || JSON.parse(state.content)[1] === tag);
        return shown === (listed !== undefined) && (!listed || state?.content === contentOf(listed))
          ? state
          : 'impossible';
      },
    ];
  });
}

function effect(id: bigint, step: Step, response: ClientResponse, apply: Event['apply']): Effect {
  const what = JSON.stringify(step, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}` : value));
  return [id, `${what} -> ${response.status} ${response.headers.etag ?? ''} ${response.text.slice(0, 80)}`, apply];
}

/** The state, its tag told; impossible when there is no plant or it has another tag. */
function bind(state: State, etag: string): State | 'impossible' {
  if (state === undefined || (state.etag !== undefined && state.etag !== etag)) return 'impossible';
  return { content: state.content, etag };
}

function contentOf({ name, tag }: Plant): string {
  return JSON.stringify([name, tag ?? null]);
}

// ── Both ────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Each run begins with an empty store; starting a service for each would take ten times as long. */
async function empty({ engine: { plants } }: TestService): Promise<void> {
  for (const { id } of await plants.list('default', { limit: 1_000 })) await plants.delete('default', id, undefined);
}

function same(one: Plant, other: Plant): boolean {
  return contentOf(one) === contentOf(other);
}

/** A listed plant with its id as a bigint, however small it is. */
function exact(value: unknown): unknown {
  const { id, ...rest } = value as { id: number | bigint };
  return { id: BigInt(id), ...rest };
}
