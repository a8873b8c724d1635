/** Compares every response of the feed of one store, and of its plants, with a list of the expected events. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { errorOf } from '../../harness/client.ts';
import * as plants from '../../plants/model.ts';
import { addressIn, cursorIn, openStream, pageOf, type ReadEvent, readPage, STREAMS } from './reader.ts';

/** A change that the feed must have as an event. */
interface Change {
  readonly type: string;
  readonly data: object;
  /** The time of the request that made it, in milliseconds since 1970. */
  readonly began: number;
  readonly ended: number;
  /** The event, after a response contained it. */
  event?: ReadEvent;
}
export interface Model {
  readonly plants: plants.Model;
  /** Every change of the store. */
  readonly changes: Change[];
  /** How many of the oldest events are no longer kept. */
  removed: number;
  /** How many events each known cursor has before it. */
  readonly cursors: Map<string, number>;
}
export const createModel = (): Model => ({ plants: new Map(), changes: [], removed: 0, cursors: new Map() });

export interface Real extends plants.Real {
  /** Well-formed cursors that no response of the store contains, with the error of each. */
  readonly wrong: ReadonlyMap<string, number>;
  /** A token of the store that may not read. */
  readonly writer: string;
  /** Removes the events up to this number, as the service does after `--events-keep`. */
  remove(number: number): Promise<void>;
}
export type Command = fc.AsyncCommand<Model, Real>;
const command = plants.createCommand<Model, Real>;

/** Runs a command of the plants, and expects an event for each plant that it changes. */
async function change(model: Model, real: Real, own: plants.Command): Promise<void> {
  const before = new Map(model.plants);
  const began = Date.now();
  await own.run(model.plants, real);
  for (const id of new Set([...before.keys(), ...model.plants.keys()])) {
    const [was, is] = [before.get(id)?.plant, model.plants.get(id)?.plant];
    // A replacement with equal content is a change, too. Its content is another object.
    if (was === is) continue;
    const previous = was && { previousName: was.name, previousTag: was.tag ?? null };
    const type = was === undefined ? 'plant.created' : is === undefined ? 'plant.deleted' : 'plant.replaced';
    const data = is === undefined ? { id, ...was } : { id, ...is, ...previous };
    model.changes.push({ type, data, began, ended: Date.now() });
  }
}
const changeBy = (own: plants.Command) => command(`${own}`, (model, real) => change(model, real, own));

/** How much a database may round its clock, in milliseconds. */
const ROUNDING_MS = 10;

/** Compares the events of a response with the changes after the first `place`. */
function assertEvents(model: Model, found: readonly ReadEvent[], place: number, limit: number): void {
  const expected = model.changes.slice(place, place + limit);
  assert.deepEqual(
    found.map(({ data, ...rest }) => ({ ...rest, data: plants.exact(data) })),
    expected.map(({ type, data, event }, i) => {
      const { id, timestamp } = event ?? found[i] ?? {};
      return { id, sequence: place + i + 1, type, timestamp, data };
    }),
  );
  for (const [i, event] of found.entries()) {
    const one = expected[i] as Change;
    const at = Date.parse(event.timestamp);
    assert.ok(at >= one.began - ROUNDING_MS && at <= one.ended + ROUNDING_MS, event.timestamp);
    one.event = event;
    learn(model, event.id, place + i + 1);
  }
}

/** A cursor that was known must still have the same place. */
function learn({ cursors }: Model, cursor: string, place: number): void {
  assert.equal(cursors.get(cursor) ?? place, place);
  cursors.set(cursor, place);
}

/** A cursor: one of the known or of the wrong cursors, by its place among them (modulo their count). */
const cursor = fc.record({ kind: fc.constantFrom('known', 'known', 'known', 'wrong'), index: fc.nat(1_000) });
const asked = fc.record({
  after: fc.option(fc.oneof({ arbitrary: cursor, weight: 3 }, fc.constant('latest' as const)), { nil: undefined }),
  last: fc.option(cursor, { freq: 2, nil: undefined }),
  limit: fc.constantFrom(1, 2, 3, 100, 250),
  wait: fc.constantFrom(0, 30),
});
type Asked = typeof asked extends fc.Arbitrary<infer T> ? T : never;

/** The request, and the place where it begins or its error. */
function requestOf({ after, last, limit, wait }: Asked, { changes, removed, cursors }: Model, { wrong }: Real) {
  const textOf = (one: Asked['after']) => {
    if (one === undefined || one === 'latest') return one;
    const all = [...(one.kind === 'known' && cursors.size > 0 ? cursors : wrong).keys()];
    return all[one.index % all.length];
  };
  const [afterText, lastText] = [textOf(after), textOf(last)];
  const start = lastText ?? afterText;
  const known = start === undefined ? removed : start === 'latest' ? changes.length : cursors.get(start);
  const place = known ?? 0;
  const error = known === undefined ? wrong.get(start ?? '') : place < removed ? 41000 : undefined;
  // With `latest` the service does not wait. Any other wait that no event ends would take 30 s.
  const isQuick = start === 'latest' || place < changes.length;
  const query = new URLSearchParams({
    ...(afterText !== undefined && { after: afterText }),
    limit: String(limit),
    ...(wait > 0 && isQuick && { wait: String(wait) }),
  });
  const headers = lastText === undefined ? {} : { 'Last-Event-ID': lastText };
  return { query, target: `/events?${query}`, headers, place, error };
}

/** Checks that the address leads to the events after the first `place`, with the same limit and wait. */
function assertLink(model: Model, address: string, query: URLSearchParams, place: number): void {
  const next = new URL(address, 'http://localhost');
  learn(model, cursorIn(address), place);
  next.searchParams.delete('after');
  query.delete('after');
  assert.equal(`${next.pathname}?${next.searchParams}`, `/events?${query}`);
}

/** Seconds after which an event that has not come is missing. */
const LATE_S = 10;
const FORMS = ['application/json', 'text/event-stream', 'application/jsonl'] as const;
const form = fc.constantFrom(...FORMS);
const method = fc.constantFrom('GET', 'GET', 'GET', 'HEAD');

/** Reads a page, or follows a stream while another request may change a plant. */
const read = fc.tuple(asked, method, form, plants.anyRequest).map(([asked, method, form, own]) =>
  command(`${method} ${form} ${JSON.stringify(asked)}, stream meanwhile ${own}`, async (model, real, client) => {
    const { query, target, headers, place, error } = requestOf(asked, model, real);
    const isPage = form === 'application/json';
    if (error === undefined && method === 'GET' && !isPage) {
      using stream = await openStream(client, target, form, headers);
      assert.deepEqual([stream.status, stream.headers.get('content-type')], [200, form]);
      assertLink(model, addressIn(stream.headers.get('link')), query, place);
      await change(model, real, own);
      const count = model.changes.length - place;
      const late = setTimeout(() => stream[Symbol.dispose](), 1_000 * LATE_S);
      const text = await stream.until((text) => STREAMS[form](text).length >= count);
      clearTimeout(late);
      assertEvents(model, STREAMS[form](text), place, count);
      return;
    }
    const call = { headers: { Accept: form, ...headers } };
    if (error !== undefined) {
      // HEAD comes first. A GET that is not refused may be a stream, which does not end.
      assert.equal((await client.send('HEAD', target, call)).status, Math.floor(error / 100));
      assert.equal(errorOf(await client.send('GET', target, call)), error);
      return;
    }
    const response = await client.send(method, target, call);
    assert.deepEqual([response.status, response.headers['content-type']], [200, form]);
    const end = Math.min(place + (isPage ? asked.limit : 0), model.changes.length);
    assertLink(model, addressIn(response.headers['link']), query, end);
    if (method === 'GET') assertEvents(model, pageOf(response).events, place, asked.limit);
  }),
);

const wait = plants.toggle.map((own) =>
  command(`wait for an event, meanwhile ${own}`, async (model, real, client) => {
    const place = model.changes.length;
    const { next } = await readPage(client, '/events?after=latest');
    const readChanged = async () => {
      const page = await readPage(client, `/events?after=${cursorIn(next)}&wait=${LATE_S}`);
      const [event] = page.events;
      // The event is readable only together with its change.
      const { status } = await client.send('GET', `/plants/${event?.data.id}`);
      assert.equal(status, event?.type === 'plant.deleted' ? 404 : 200);
      return page;
    };
    const [page] = await Promise.all([readChanged(), change(model, real, own)]);
    assertEvents(model, page.events, place, 1);
    learn(model, cursorIn(page.next), place + 1);
  }),
);

const wrongQuery = fc.constantFrom(
  ...['limit=0', 'limit=251', 'limit=1.5', 'limit=', 'limit=1&limit=2', 'wait=-1', 'wait=31', 'wait=', 'wait=0&wait=0'],
  ...['after=', 'after=x', 'after=LATEST', 'after=latest&after=latest', `after=${'A'.repeat(41)}`],
);
const wrongTarget = wrongQuery.map((query) => `/events?${query}`);

/** Requests that no state of the store can satisfy, with the error of each. */
const refused: fc.Arbitrary<plants.Refused> = fc.oneof(
  fc.tuple(wrongTarget, form).map(([target, Accept]) => ({ method: 'GET', target, headers: { Accept }, error: 40006 })),
  fc.constantFrom('x', 'latest', 'A'.repeat(39)).map((last) => {
    return { method: 'GET', target: '/events', headers: { 'Last-Event-ID': last }, error: 40006 };
  }),
  fc
    .tuple(fc.constantFrom('POST', 'PUT', 'PATCH', 'DELETE'), wrongTarget)
    .map(([method, target]) => ({ method, target, error: 40500 })),
  fc.constantFrom('/events/', '/events/1').map((target) => ({ method: 'GET', target, error: 40400 })),
  // The credential comes before the parameters.
  wrongTarget.map((target) => ({ method: 'GET', target, token: null, error: 40100 })),
  wrongTarget.map((target) => ({ method: 'GET', target, token: 'pst_wrong', error: 40101 })),
);
const forbidden = wrongTarget.map((target) =>
  command(`${target} needs another scope`, async (_model, { writer }, client) => {
    assert.equal(errorOf(await client.send('GET', target, { token: writer })), 40300);
  }),
);

/** Any request of one client to the plants or to their feed. */
export const anyEventRequest: fc.Arbitrary<Command> = fc.oneof(
  { arbitrary: plants.anyRequest.map(changeBy), weight: 8 },
  { arbitrary: read, weight: 8 },
  { arbitrary: wait, weight: 1 },
  { arbitrary: refused.map(plants.refuse).map(changeBy), weight: 2 },
  { arbitrary: forbidden, weight: 1 },
);

/** Restarts the service. Its events and its cursors stay. */
export const restart = plants.restart.map(changeBy);

/** Removes some of the oldest events. */
export const remove = fc.nat(4).map((number) =>
  command(`remove ${number} events`, async (model, real) => {
    model.removed = Math.min(model.removed + number, model.changes.length);
    await real.remove(model.removed);
  }),
);
