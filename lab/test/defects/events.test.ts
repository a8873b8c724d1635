/** The defects of the feed of events: what shows them, what counts them, and that the clean service has none. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { createCursors, EVENT_LISTS } from '../../../src/plants/cursor.ts';
import { eventsOf, openStream, readPage } from '../../../test/features/events/reader.ts';
import type { Client } from '../../../test/harness/client.ts';
import { briefOrLong } from '../../../test/harness/long.ts';
import { refusedWith, runHere } from '../../../test/harness/process.ts';
import { startTestService, type TestService } from '../../../test/harness/service.ts';
import type { Counts } from '../../defects/counts.ts';
import type { Defect } from '../../defects/defect.ts';
import { defectsOf, plantDefect, variantsOf } from '../../defects/index.ts';
import { responsesIn, runLine, withoutChance, withoutRepeats } from './line.ts';

const clean = await startTestService({ events: true });
after(() => clean[Symbol.asyncDispose]());

/** Removes what differs between two services. */
const withoutNames = (text: string) =>
  text.replaceAll(/"(?:id|timestamp)":"[^"]*"|after=[\w-]{40}|ETag: .*/g, '').replaceAll(/Keep-Alive: .*/g, '');

let stores = 0;
const newStore = () => `store-${stores++}`;
/** A client with a store of its own. */
const enter = (service: TestService, store = newStore()) => service.as({ store });
const show = async ({ url, token }: Client, line: string) =>
  runLine(line, { PLANTSTORE_URL: url, PLANTSTORE_TOKEN: token });

/** Plants one variant, and returns the service with the number of counts so far. */
async function plant(defect: Defect) {
  const count = { now: 0 };
  const service = await startTestService({
    events: true,
    features: [({ engine }) => defect.plant(() => count.now++, { engine })],
  });
  return { service, count, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

/** Makes seven events of every type. */
async function change(client: Client): Promise<void> {
  const aloe = { id: 12, name: 'Aloe vera', tag: 'succulent' };
  const send = async (method: string, target: string, body?: unknown) => {
    const { status } = await client.send(method, target, { body });
    assert.ok(status < 300, String(status));
  };
  await send('POST', '/plants', aloe);
  await send('POST', '/plants', { id: 24, name: '{"name": "Agave"} 🌵' });
  await send('PUT', '/plants/12', { name: 'Agave' });
  await send('DELETE', '/plants/12');
  await send('PUT', '/plants/24', { name: 'Fern', tag: 'green' });
  await send('POST', '/plants', { id: 2n ** 53n + 1n, name: 'Fern', tag: '' });
  await send('DELETE', '/plants/24');
}
const LAST = 7n;

interface Ask {
  readonly method?: string;
  readonly target: string;
  readonly last?: string;
}

async function asksTo({ engine }: TestService, store: string): Promise<readonly Ask[]> {
  const period = await engine.events.period();
  const cursor = (number: bigint) =>
    createCursors(engine.cursorKey, EVENT_LISTS).encode(store, BigInt(period ?? 0), number);
  const target = '/events';
  return [
    ...[{ target }, { target, method: 'HEAD' }, { target: '/events?limit=1' }, { target: '/events?after=latest' }],
    ...[1n, 2n, 3n, 4n, LAST].map((number) => ({ target: `/events?limit=2&after=${cursor(number)}` })),
    ...[0n, 1n, 3n, LAST].map((number) => ({ target, last: cursor(number) })),
    ...[1n, LAST].map((number) => ({ target, method: 'HEAD', last: cursor(number) })),
    ...[3n, 4n].map((number) => ({ target: `/events?after=${cursor(3n)}`, last: cursor(number) })),
    ...[{ target: `/events?wait=1&after=${cursor(LAST)}`, last: cursor(1n) }],
    ...[{ target, last: 'A'.repeat(40) }, { target, last: 'x' }, { target: '/plants' }, { target: '/plants/12' }],
  ];
}

/** Responses to all requests, and how often each was counted. */
async function walk(service: TestService, count: { readonly now: number }) {
  const store = newStore();
  const client = await enter(service, store);
  await change(client);
  const seen: { readonly what: string; readonly response: string; readonly counted: number }[] = [];
  for (const { method = 'GET', target, last } of await asksTo(service, store)) {
    const before = count.now;
    const { status, headers, text } = await client.send(method, target, { headers: { 'Last-Event-ID': last } });
    const fields = [status, headers['link'], headers['content-length'], text].join(' ');
    seen.push({ what: `${method} ${target} ${last}`, response: withoutNames(fields), counted: count.now - before });
  }
  return seen;
}

/** Throws if a response was counted without a difference, or the other way round. */
function compare(wrong: Awaited<ReturnType<typeof walk>>, right: typeof wrong): void {
  assert.equal(wrong.length, right.length);
  for (const [i, { what, response, counted }] of wrong.entries()) {
    assert.equal(counted > 0, response !== right[i]?.response, `${what}: ${response} ${right[i]?.response}`);
  }
}

const HOLDS = 'event-before-commit';
/** The published defects, or all their other variants. */
const variants = briefOrLong(
  defectsOf('events'),
  defectsOf('events').flatMap(({ name }) => variantsOf(name).slice(1)),
);
/** The walk through the clean service. */
const right = await walk(clean, { now: 0 });

describe('a planted defect of the events', { concurrency: 2 }, () => {
  for (const defect of variants) {
    test(`${defect.name}: ${defect.does} Its example shows it, but not on the clean service`, async () => {
      const printed = await show(await enter(clean), defect.show);
      const statuses = responsesIn(printed).map(({ status }) => status);
      const promised = [...defect.clean.matchAll(/\b[2-5]\d\d\b/g)].map(([status]) => Number(status));
      assert.deepEqual(withoutRepeats(statuses), withoutRepeats(promised), printed.toString());
      await using planted = await plant(defect);
      const wrong = await show(await enter(planted.service), defect.show);
      const seen = (output: Buffer) => withoutNames(withoutChance(output));
      assert.notEqual(seen(wrong), seen(printed));
      assert.ok(planted.count.now > 0);
      // The line is not the only difference: on a clean service it prints the same again.
      assert.equal(seen(await show(await enter(clean), defect.show)), seen(printed));
    });
  }

  for (const defect of variants.filter(({ name }) => name !== HOLDS)) {
    test(`${defect.name}: ${defect.does} It counts exactly the responses that differ`, async () => {
      await using planted = await plant(defect);
      compare(await walk(planted.service, planted.count), right);
      assert.ok(planted.count.now > 0, 'no request of the walk triggers the defect');
    });
  }

  for (const type of ['text/event-stream', 'application/jsonl']) {
    for (const defect of defectsOf('events').filter(({ name }) => name !== HOLDS && name !== 'last-event-id-ignored')) {
      test(`${defect.name}: a stream in the form ${type} has the events of the page, and is counted once`, async () => {
        await using planted = await plant(defect);
        const client = await enter(planted.service);
        await change(client);
        const { events } = await readPage(client, '/events');
        const before = planted.count.now;
        using stream = await openStream(client, '/events', type);
        const read = (text: string) =>
          type === 'text/event-stream'
            ? eventsOf(text.slice(0, text.lastIndexOf('\n\n')))
            : text
                .split('\n')
                .slice(0, -1)
                .filter(Boolean)
                .map((line) => JSON.parse(line));
        const text = await stream.until((text) => read(text).length >= events.length);
        const brief = (list: readonly { readonly sequence: number; readonly data: { readonly name: string } }[]) =>
          list.map(({ sequence, data: { name } }) => [sequence, name]);
        assert.deepEqual(brief(read(text)), brief(events));
        assert.equal(planted.count.now, before + 1);
      });
    }
  }

  test(`${HOLDS}: a new plant can be read only when its create responds, after its event`, async () => {
    for (const defect of variants.filter(({ name }) => name === HOLDS)) {
      await using planted = await plant(defect);
      const client = await enter(planted.service);
      const { next } = await readPage(client, '/events?after=latest&wait=10');
      const created = client.send('POST', '/plants', { body: { id: 12, name: 'Aloe' } });
      assert.deepEqual(
        (await readPage(client, next)).events.map(({ type }) => type),
        ['plant.created'],
      );
      assert.equal((await client.send('GET', '/plants/12')).status, 404);
      assert.equal((await client.send('GET', '/plants')).text, '[]');
      assert.equal(planted.count.now, 2);
      assert.equal((await created).status, 200);
      assert.equal((await client.send('GET', '/plants/12')).status, 200);
      assert.equal((await client.send('POST', '/plants', { body: { id: 12, name: 'Aloe' } })).status, 200);
      assert.equal(planted.count.now, 2);
    }
  });
});

test('a stream with Last-Event-ID is counted if the ignored field would have changed its beginning', async () => {
  const [defect] = variantsOf('last-event-id-ignored');
  assert.ok(defect !== undefined);
  await using planted = await plant(defect);
  const client = await enter(planted.service);
  const { next } = await readPage(client, '/events?after=latest');
  await change(client);
  const { events } = await readPage(client, next);
  const open = (id: string) => openStream(client, '/events', 'text/event-stream', { 'Last-Event-ID': id });
  using stream = await open(events[1]?.id ?? '');
  assert.equal(eventsOf(await stream.until((text) => text.includes('data: ')))[0]?.sequence, 1);
  assert.equal(planted.count.now, 1);
  using same = await open(new URL(next, client.url).searchParams.get('after') ?? '');
  await same.until((text) => text.includes('data: '));
  assert.equal(planted.count.now, 1);
});

test('a count that is too high or too low is noticed', async () => {
  compare(await walk(clean, { now: 0 }), right);
  const [defect] = variantsOf('event-lost');
  assert.ok(defect !== undefined);
  await using uncounted = await plant({ ...defect, plant: (_, context) => defect.plant(() => undefined, context) });
  const walked = await walk(uncounted.service, uncounted.count);
  assert.throws(() => compare(walked, right), { actual: false, expected: true });
  await using overcounted = await plant({ ...defect, plant: (count) => ({ observers: [count] }) });
  const counted = await walk(overcounted.service, overcounted.count);
  assert.throws(() => compare(counted, right), { actual: true, expected: false });
});

test('every defect of the events quotes a sentence of events.yaml, and most have at least five variants', () => {
  const description = readFileSync('contract/events.yaml', 'utf8').replace(/\s+/g, ' ');
  for (const { name, breaks } of defectsOf('events')) assert.ok(description.includes(breaks), `${name}: ${breaks}`);
  const few = defectsOf('events').filter(({ name }) => variantsOf(name).length < 6);
  assert.deepEqual(
    few.map(({ name }) => name),
    ['last-event-id-ignored'],
  );
});

test('serve plants a defect of the events, and its variants, only with events', async () => {
  refusedWith(await runHere(['serve', '--defect', 'event-lost']), 2, /--defect event-lost needs --events or --demo/);
  let counts: Counts | undefined;
  const planted = plantDefect('event-lost', 3, (sent) => {
    counts = { ...sent };
  });
  await using service = await startTestService({ events: true, features: [planted] });
  await change(service.client);
  const { events } = await readPage(service.client, '/events');
  assert.ok(events.length < Number(LAST));
  assert.ok(counts?.triggered === 1 && counts.candidates === 1, JSON.stringify(counts));
});

test('plantstore defects --events lists them, as published or the variants of a seed', async () => {
  const listed = async (...options: readonly string[]) => {
    const { stdout } = await runHere(['defects', '--events', '--json', ...options]);
    return (JSON.parse(stdout) as Defect[]).map(({ name, does }) => [name, does]);
  };
  const published = defectsOf('events').map(({ name, does }) => [name, does]);
  assert.equal(published.length, 6);
  assert.deepEqual(await listed(), published);
  assert.deepEqual(
    await listed('--variants', '3'),
    defectsOf('events', 3).map(({ name, does }) => [name, does]),
  );
  assert.notDeepEqual(await listed('--variants', '3'), published);
  refusedWith(await runHere(['defects', '--events', '--sandboxes']), 2, /--sandboxes/);
});
