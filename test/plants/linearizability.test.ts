/**
 * Several clients write to a few ids at the same time. The history of every plant must be linearizable: each request
 * has its effect at one moment between its sending and its response.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Client, type ClientResponse, errorOf } from '../harness/client.ts';
import { briefOrLong } from '../harness/long.ts';
import { startTestService } from '../harness/service.ts';
import { empty } from './empty.ts';

type Plant = { readonly name: string; readonly tag?: string };

type Step =
  | { readonly does: 'create' | 'replace'; readonly id: bigint; readonly plant: Plant; readonly when: When }
  | { readonly does: 'get' | 'delete'; readonly id: bigint; readonly when: When }
  | { readonly does: 'list'; readonly limit: number; readonly tag: string | null };
/** `seen`: the condition is the tag that this client saw last. */
type When = 'always' | 'seen';

const SHARED = [-(2n ** 63n), 2n ** 63n - 1n] as const;
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

test('several clients at the same time see a linearizable history of every plant, across restarts', async () => {
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
            const responded = clock++;
            if (responded > sent + 1) overlapping++;
            for (const [id, label, apply] of effects) {
              histories.get(id)?.push({ sent, responded, apply, label: `${sent}–${responded} ${label}` });
            }
          }
        };
        await Promise.all(clients.map((client, c) => run(client, steps[c] ?? [], tags[c] ?? new Map())));
      }
      for (const [id, events] of histories) {
        assert.ok(isLinearizable(events), `plant ${id}:\n${events.map(({ label }) => label).join('\n')}`);
      }
    }),
    { numRuns: briefOrLong(15, 60) },
  );
  assert.ok(overlapping > briefOrLong(100, 1_000), `only ${overlapping} requests overlapped another`);
});

type Effect = readonly [id: bigint, label: string, apply: Event['apply']];

/** Sends one request. Resolves to the meaning of the response for each plant that the request concerns. */
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

/** A page contains every plant up to its last one. The last page shows that no further plant exists. */
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
    const apply = (state: State) => {
      const shown = state !== undefined && (tag === null || JSON.parse(state.content)[1] === tag);
      const fits = shown === (listed !== undefined) && (!listed || state?.content === contentOf(listed));
      return fits ? state : 'impossible';
    };
    return [id, label, apply];
  });
}

function effect(id: bigint, step: Step, response: ClientResponse, apply: Event['apply']): Effect {
  const what = JSON.stringify(step, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}` : value));
  return [id, `${what} -> ${response.status} ${response.headers.etag ?? ''} ${response.text.slice(0, 80)}`, apply];
}

/** Returns the state with its tag. Impossible if there is no plant or its tag differs. */
function bind(state: State, etag: string): State | 'impossible' {
  if (state === undefined || (state.etag !== undefined && state.etag !== etag)) return 'impossible';
  return { content: state.content, etag };
}

function contentOf({ name, tag }: Plant): string {
  return JSON.stringify([name, tag ?? null]);
}

/** The state of a plant at one moment. Undefined: there is none. A tag that was not seen yet matches every tag. */
type State = { readonly content: string; readonly etag: string | undefined } | undefined;

/** The effect of one request on one plant, with the times of request and response. */
interface Event {
  readonly sent: number;
  readonly responded: number;
  /** Returns the state afterwards, or `impossible` if this state cannot lead to the response. */
  apply(state: State): State | 'impossible';
  readonly label: string;
}

/**
 * Whether there is an order in which every event is possible at one moment between its sending and its response (Wing
 * and Gong, Testing and verifying concurrent objects, 1993). The search remembers each tried set of events and its
 * state. So it stays small while few events overlap.
 */
function isLinearizable(events: readonly Event[]): boolean {
  const failed = new Set<string>();
  const search = (done: bigint, state: State): boolean => {
    if (done === (1n << BigInt(events.length)) - 1n) return true;
    const key = `${done} ${JSON.stringify(state)}`;
    if (failed.has(key)) return false;
    const open = events.flatMap((event, i) => ((done >> BigInt(i)) & 1n ? [] : [{ event, bit: 1n << BigInt(i) }]));
    const firstResponse = Math.min(...open.map(({ event }) => event.responded));
    for (const { event, bit } of open) {
      // An event that was sent after another's response cannot come before that event.
      if (event.sent > firstResponse) continue;
      const next = event.apply(state);
      if (next !== 'impossible' && search(done | bit, next)) return true;
    }
    failed.add(key);
    return false;
  };
  return search(0n, undefined);
}
