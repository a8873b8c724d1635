/** The feed of events as a client reads it. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { type Client, errorOf } from '../../harness/client.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { waitUntil } from '../sandbox/sandbox.ts';
import { addressIn, briefly, cursorIn, pageOf, type ReadEvent, readPage } from './reader.ts';

const create = (client: Client, id: number | bigint, name = 'Aloe', tag?: string) =>
  client.send('POST', '/plants', { body: { id, name, ...(tag !== undefined && { tag }) } });

/** Lists all plants. */
async function namesById(client: Client): Promise<Map<string, string>> {
  const plants = new Map<string, string>();
  for (let target: string | undefined = '/plants?limit=1000'; target !== undefined; ) {
    const page = await client.send('GET', target);
    for (const { id, name } of page.json() as { id: number; name: string }[]) plants.set(String(id), name);
    target = /<(.*)>/.exec(String(page.headers['link']))?.[1];
  }
  return plants;
}

test('without --events there is no feed, and nothing of it is described', async () => {
  await using service = await startTestService();
  assert.equal(errorOf(await service.client.send('GET', '/events')), 40400);
  assert.equal(errorOf(await service.client.send('GET', '/events/openapi.json', { token: null })), 40400);
});

describe('the feed', async () => {
  const service = await startTestService({ events: true });
  after(() => service[Symbol.asyncDispose]());
  const inStore = (store: string) => service.as({ store });

  test('has one event for each change, with what a reader needs to apply it', async () => {
    const client = await inStore('changes');
    const began = Date.now();
    const big = 9_223_372_036_854_775_807n;
    await create(client, big, 'Aloe 🌵');
    await create(client, big, 'Aloe 🌵');
    await create(client, big, 'Fern');
    await client.send('PUT', `/plants/${big}`, { body: { name: 'Fern', tag: 'green' } });
    await client.send('PUT', `/plants/${big}`, { body: { name: 'Moss' }, headers: { 'If-Match': '"no"' } });
    await client.send('PUT', '/plants/404', { body: { name: 'Moss' } });
    await client.send('PUT', `/plants/${big}`, { body: { name: 'Moss' } });
    await client.send('DELETE', `/plants/${big}`);
    await client.send('DELETE', `/plants/${big}`);
    const { events } = await readPage(client, '/events');
    assert.deepEqual(
      events.map(({ sequence, type, data }) => ({ sequence, type, data })),
      [
        { sequence: 1, type: 'plant.created', data: { id: big, name: 'Aloe 🌵' } },
        {
          sequence: 2,
          type: 'plant.replaced',
          data: { id: big, name: 'Fern', tag: 'green', previousName: 'Aloe 🌵', previousTag: null },
        },
        {
          sequence: 3,
          type: 'plant.replaced',
          data: { id: big, name: 'Moss', previousName: 'Fern', previousTag: 'green' },
        },
        { sequence: 4, type: 'plant.deleted', data: { id: big, name: 'Moss' } },
      ],
    );
    for (const { timestamp } of events) {
      const at = Date.parse(timestamp);
      assert.ok(at >= began - 1_000 && at <= Date.now() + 1_000, timestamp);
    }
  });

  test('is read page by page, and Link always continues it', async () => {
    const client = await inStore('pages');
    const empty = await readPage(client, '/events?limit=2');
    assert.deepEqual(empty.events, []);
    for (let id = 1; id <= 5; id++) await create(client, id);
    const seen: ReadEvent[] = [];
    let target = empty.next;
    for (let pages = 0; pages < 4; pages++) {
      const { events, next } = await readPage(client, target);
      seen.push(...events);
      assert.ok(events.length <= 2);
      target = next;
    }
    assert.deepEqual(
      briefly(seen),
      [1, 2, 3, 4, 5].map((id) => `plant.created ${id}`),
    );
    assert.deepEqual((await readPage(client, target)).events, []);
    await client.send('DELETE', '/plants/3');
    assert.deepEqual(briefly((await readPage(client, target)).events), ['plant.deleted 3']);
    // The id of each event is its cursor.
    const [, second] = seen;
    const rest = await readPage(client, `/events?after=${second?.id}`);
    assert.deepEqual(briefly(rest.events).slice(0, 1), ['plant.created 3']);
  });

  test('begins at the present with latest', async () => {
    const client = await inStore('latest');
    await create(client, 1);
    const latest = await readPage(client, '/events?after=latest&wait=30');
    assert.deepEqual(latest.events, []);
    await create(client, 2);
    assert.deepEqual(briefly((await readPage(client, latest.next)).events), ['plant.created 2']);
  });

  test('holds a request until there is an event, or until its time is over', async () => {
    const client = await inStore('waiting');
    const { next } = await readPage(client, '/events?after=latest');
    const waiting = readPage(client, `/events?after=${cursorIn(next)}&wait=30`);
    await create(client, 1);
    const { events, next: further } = await waiting;
    assert.deepEqual(briefly(events), ['plant.created 1']);
    assert.match(further, /&wait=30$/);
    assert.deepEqual((await readPage(client, `/events?after=${cursorIn(further)}&wait=1`)).events, []);
    assert.ok(!service.log().includes('a request was slow'), service.log());
  });

  test('takes Last-Event-ID in place of after, whose cursor may then be of any store', async () => {
    const client = await inStore('resumed');
    await create(client, 1);
    const { events, next } = await readPage(client, '/events');
    const headers = { 'Last-Event-ID': String(events[0]?.id) };
    const foreign = await client.send('GET', `/events?after=${'A'.repeat(40)}`, { headers });
    assert.deepEqual(pageOf(foreign), { events: [], next });
    const waiting = client.send('GET', '/events?after=latest&wait=30', { headers });
    await new Promise((resolve) => setTimeout(resolve, 100));
    await create(client, 2);
    assert.deepEqual(briefly(pageOf(await waiting).events), ['plant.created 2']);
  });

  test('leads from an empty page to the first event, also if that is written meanwhile', async () => {
    for (let round = 0; round < 40; round++) {
      const client = await inStore(`first-${round}`);
      const created = create(client, 1);
      const pages = await Promise.all(Array.from({ length: 8 }, () => readPage(client, '/events')));
      await created;
      for (const { events, next } of pages) {
        const { events: rest } = await readPage(client, next);
        assert.deepEqual(briefly([...events, ...rest]), ['plant.created 1']);
      }
    }
  });

  test('shows a store only its own events, and refuses the cursor of another', async () => {
    const [one, other] = [await inStore('one'), await inStore('other')];
    await create(one, 1);
    const { next } = await readPage(one, '/events');
    assert.deepEqual((await readPage(other, '/events')).events, []);
    for (const cursor of [cursorIn(next), 'A'.repeat(40), cursorIn(next).replace(/.$/, '_')]) {
      const refused = await other.send('GET', `/events?after=${cursor}`);
      assert.equal(errorOf(refused), 40006);
      assert.match(refused.text, /"after is not a cursor of this store's events\. /);
      const headers = { 'Last-Event-ID': cursor };
      const resumed = await other.send('GET', '/events?after=latest', { headers });
      assert.equal(errorOf(resumed), 40006);
      assert.match(resumed.text, /"Last-Event-ID is not a cursor of this store's events\. /);
    }
  });

  test('refuses a cursor beyond the newest event, wrong parameters, and credentials that may not read', async () => {
    const client = await inStore('refusals');
    await create(client, 1);
    const { events } = await readPage(client, '/events');
    await service.engine.statements.write('DELETE FROM events WHERE store = $1', ['refusals']);
    await service.engine.statements.write('UPDATE event_counts SET last = 0 WHERE store = $1', ['refusals']);
    assert.equal(errorOf(await client.send('GET', `/events?after=${events[0]?.id}`)), 40006);
    for (const query of [
      'after=x',
      'after=',
      'limit=0',
      'limit=251',
      'wait=31',
      'wait=-1',
      'after=latest&after=latest',
    ]) {
      // A stream ignores limit and wait, but refuses wrong values.
      for (const Accept of ['application/json', 'text/event-stream', 'application/jsonl']) {
        assert.equal(errorOf(await client.send('GET', `/events?${query}`, { headers: { Accept } })), 40006, query);
      }
    }
    const malformed = await client.send('GET', '/events', { headers: { 'Last-Event-ID': 'latest' } });
    assert.equal(errorOf(malformed), 40006);
    assert.match(malformed.text, /"Last-Event-ID must be /);
    const headers = { 'Last-Event-ID': '' };
    // With latest there is no wait.
    const latest = await client.send('GET', '/events?after=latest&wait=30', { headers });
    assert.deepEqual(pageOf(latest).events, []);
    assert.deepEqual(pageOf(await client.send('GET', '/events', { headers })).events, []);
    // An Accept of more than 1,024 characters counts as absent. A HEAD of a stream has no pieces.
    for (const [commas, type] of [
      [900, 'application/jsonl'],
      [15_000, 'application/json'],
    ] as const) {
      const Accept = `${','.repeat(commas)}application/jsonl`;
      const { headers: got } = await client.send('HEAD', '/events', { headers: { Accept } });
      assert.equal(got['content-type'], type);
    }
    const writer = await service.as({ scopes: ['plants:write'] });
    assert.equal(errorOf(await writer.send('GET', '/events')), 40300);
    assert.equal(errorOf(await client.send('GET', '/events', { token: null })), 40100);
    assert.equal(errorOf(await client.send('POST', '/events', { body: {} })), 40500);
  });

  test('responds to HEAD as to GET, and takes JSON if Accept fits nothing', async () => {
    const client = await inStore('head');
    await create(client, 1);
    for (const accept of ['image/png', 'application/xml;q=1, text/html', 'text/event-stream;q=0', '', '*/*']) {
      const response = await client.send('HEAD', '/events', { headers: { Accept: accept } });
      assert.equal(response.headers['content-type'], 'application/json', accept);
      assert.equal(response.text, '');
    }
    for (const [accept, type] of [
      ['text/event-stream', 'text/event-stream'],
      ['Text/*', 'text/event-stream'],
      ['application/jsonl', 'application/jsonl'],
      ['application/json;q=0.1, application/jsonl;q=0.2', 'application/jsonl'],
      ['application/*;q=0.1, text/event-stream;q=0.5, application/json;q=0', 'text/event-stream'],
      ['application/*, application/json;q=0', 'application/jsonl'],
    ] as const) {
      const response = await client.send('HEAD', '/events', { headers: { Accept: accept } });
      assert.equal(response.headers['content-type'], type, accept);
    }
  });

  test('keeps its cursors across a restart', async () => {
    const client = await inStore('restart');
    await create(client, 1);
    const { next } = await readPage(client, '/events');
    await service.restart();
    await create(client, 2);
    assert.deepEqual(briefly((await readPage(client, next)).events), ['plant.created 2']);
  });

  test('gets 410 behind events that are no longer kept, and says how to begin again', async () => {
    const client = await inStore('old');
    for (let id = 1; id <= 3; id++) await create(client, id);
    const { events } = await readPage(client, '/events');
    await service.engine.statements.write('DELETE FROM events WHERE store = $1 AND number < 3', ['old']);
    const gone = await client.send('GET', `/events?after=${events[0]?.id}`);
    assert.equal(errorOf(gone), 41000);
    assert.match(gone.text, /GET \/events\?after=latest/);
    assert.deepEqual(briefly((await readPage(client, `/events?after=${events[1]?.id}`)).events), ['plant.created 3']);
    assert.deepEqual(briefly((await readPage(client, '/events')).events), ['plant.created 3']);
    const stream = await client.send('HEAD', '/events', { headers: { Accept: 'text/event-stream' } });
    assert.deepEqual(briefly((await readPage(client, addressIn(stream.headers['link']))).events), ['plant.created 3']);
    await service.engine.statements.write('DELETE FROM events WHERE store = $1', ['old']);
    assert.equal(errorOf(await client.send('GET', `/events?after=${events[1]?.id}`)), 41000);
    assert.deepEqual((await readPage(client, `/events?after=${events[2]?.id}`)).events, []);
    assert.deepEqual((await readPage(client, '/events')).events, []);
  });
});

/** Dates the events of a store back, by milliseconds. `number`: of the only event. */
function makeOlder({ engine }: TestService, store: string, age: number, number?: number) {
  const which = number === undefined ? '' : ` AND number = ${number}`;
  return engine.statements.write(`UPDATE events SET at = at - $2 WHERE store = $1${which} RETURNING number`, [
    store,
    age,
  ]);
}

/** Resolves when the service has looked at every store since the call. */
async function looksAtAll(service: TestService): Promise<void> {
  // The stores come in order of name, so between two removals in one store, each store had its turn.
  const client = await service.as({ store: 'fence' });
  for (const id of [1, 2]) {
    await create(client, id);
    await makeOlder(service, 'fence', 3_700_000);
    await waitUntil(async () => (await readPage(client, '/events')).events.length === 0);
  }
}

test('a process whose clock is ahead removes no event early', async () => {
  const now = () => Date.now() + 7_200_000;
  await using service = await startTestService({ events: true, eventsKeep: 3_600_000, now });
  const client = await service.as({ store: 'recent' });
  await create(client, 1);
  await looksAtAll(service);
  assert.deepEqual(briefly((await readPage(client, '/events')).events), ['plant.created 1']);
});

test('an event with a wrong time takes no recent event with it, and keeps no old one', async () => {
  await using service = await startTestService({ events: true, eventsKeep: 3_600_000 });
  const [past, future] = [await service.as({ store: 'past' }), await service.as({ store: 'future' })];
  for (const client of [past, future]) for (const id of [1, 2, 3]) await create(client, id);
  await makeOlder(service, 'past', 3_700_000, 2);
  await makeOlder(service, 'future', -3_700_000, 1);
  await makeOlder(service, 'future', 3_700_000, 2);
  await looksAtAll(service);
  const eventsOf = async (client: Client) => briefly((await readPage(client, '/events')).events);
  assert.deepEqual(await eventsOf(past), ['plant.created 1', 'plant.created 2', 'plant.created 3']);
  assert.deepEqual(await eventsOf(future), ['plant.created 3']);
});

test('events that are too old are removed, and their cursors get 410', async () => {
  await using service = await startTestService({ events: true, eventsKeep: 3_600_000 });
  const client = await service.as({ store: 'aging' });
  for (let id = 1; id <= 3; id++) await create(client, id);
  const { events, next } = await readPage(client, '/events');
  await makeOlder(service, 'aging', 3_500_000);
  await create(client, 4);
  assert.equal((await readPage(client, '/events')).events.length, 4);
  await makeOlder(service, 'aging', 3_700_000);
  await waitUntil(async () => (await readPage(client, '/events')).events.length === 0);
  assert.equal(errorOf(await client.send('GET', `/events?after=${events[0]?.id}`)), 41000);
  assert.equal(errorOf(await client.send('GET', next)), 41000);
});

test('a reader that takes a cursor, lists the plants and then follows misses nothing', async () => {
  await using service = await startTestService({ events: true });
  const { client } = service;
  let isWriting = true;
  const write = async (start: number) => {
    for (let id = start; isWriting; id += 4) {
      await create(client, id);
      if (id % 3 === 0) await client.send('DELETE', `/plants/${id}`);
      else await client.send('PUT', `/plants/${id}`, { body: { name: `plant ${id}` } });
    }
  };
  const writers = [1, 2, 3, 4].map(write);
  const { next } = await readPage(client, '/events?after=latest&limit=7');
  const plants = await namesById(client);
  let target = next;
  for (let pages = 0; ; pages++) {
    const page = await readPage(client, target);
    for (const { type, data } of page.events) {
      if (type === 'plant.deleted') plants.delete(String(data.id));
      else plants.set(String(data.id), data.name);
    }
    target = page.next;
    if (pages === 20) {
      isWriting = false;
      await Promise.all(writers);
    } else if (!isWriting && page.events.length === 0) break;
  }
  const stored = await namesById(client);
  assert.ok(stored.size > 0);
  assert.deepEqual(new Map([...plants].sort()), new Map([...stored].sort()));
});
