/** Streams of events, which stay open. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, describe, test } from 'node:test';
import { hashToken } from '../../../src/auth/token.ts';
import type { OpenFeature } from '../../../src/feature.ts';
import { type Client, createClient, errorOf } from '../../harness/client.ts';
import { startTestService } from '../../harness/service.ts';
import { enterSandbox } from '../sandbox/sandbox.ts';
import { briefly, eventsOf, openStream, type ReadEvent, readPage, STREAMS } from './reader.ts';

const SSE = 'text/event-stream';
const create = (client: Client, id: number, name = 'Aloe') => client.send('POST', '/plants', { body: { id, name } });
const has = (count: number) => (text: string) => eventsOf(text.slice(0, text.lastIndexOf('\n\n') + 2)).length >= count;

describe('a stream', async () => {
  const service = await startTestService({ events: true, sandboxes: 10 });
  after(() => service[Symbol.asyncDispose]());

  test('sends the events so far and each further event, and continues behind Last-Event-ID', async () => {
    const client = await service.as({ store: 'follow' });
    await create(client, 1);
    using stream = await openStream(client, '/events', SSE);
    assert.equal(stream.status, 200);
    assert.equal(stream.headers.get('content-type'), SSE);
    assert.equal(stream.headers.get('cache-control'), 'no-store');
    // Otherwise nginx with its defaults would keep even the head until its buffer is full.
    assert.equal(stream.headers.get('x-accel-buffering'), 'no');
    await stream.until(has(1));
    await create(client, 2);
    await client.send('DELETE', '/plants/1');
    const text = await stream.until(has(3));
    assert.ok(text.startsWith('retry: 1000\n\n'), text);
    const events = eventsOf(text);
    assert.deepEqual(briefly(events), ['plant.created 1', 'plant.created 2', 'plant.deleted 1']);
    assert.deepEqual(events, (await readPage(client, '/events')).events);

    const resumed = { 'Last-Event-ID': String(events[1]?.id) };
    using again = await openStream(client, '/events?after=latest', SSE, resumed);
    assert.deepEqual(briefly(eventsOf(await again.until(has(1)))), ['plant.deleted 1']);
  });

  test('in JSON Lines has an event in each line', async () => {
    const client = await service.as({ store: 'lines' });
    await create(client, 1, 'a name with "quotes" and a\nline');
    using stream = await openStream(client, '/events', 'application/jsonl');
    await create(client, 2);
    const text = await stream.until((text) => text.split('\n').length > 2);
    const events = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as ReadEvent);
    assert.deepEqual(events, (await readPage(client, '/events')).events);
  });

  for (const type of [SSE, 'application/jsonl'] as const) {
    test(`of ${type} has each event in one line, also for readers that end lines as Unicode does`, async () => {
      const client = await service.as({ store: `separators ${type}` });
      await create(client, 1, 'a\u0085b\u2028c\u2029d');
      using stream = await openStream(client, '/events', type);
      const text = await stream.until((text) => text.includes('}}\n'));
      assert.doesNotMatch(text, /[\u0085\u2028\u2029]/);
      assert.deepEqual(STREAMS[type](text), (await readPage(client, '/events')).events);
    });
  }

  test('ends soon after its token is revoked or has expired, and after the sandbox is deleted', async () => {
    const revoked = await service.as({ store: 'revoked' });
    const expiring = await service.as({ store: 'expiring', expiresAt: Date.now() + 1_500 });
    const sandbox = await enterSandbox(service);
    const streams = await Promise.all([revoked, expiring, sandbox].map((one) => openStream(one, '/events', SSE)));
    await service.engine.tokens.revoke(hashToken(revoked.token), Date.now());
    await sandbox.send('DELETE', '/sandbox');
    for (const stream of streams) assert.ok((await stream.end()).startsWith('retry: 1000\n\n'));
  });

  test('of a sandbox continues after a reset, which is one event', async () => {
    const sandbox = await enterSandbox(service, { plants: 'garden' });
    using stream = await openStream(sandbox, '/events', SSE);
    await create(sandbox, 5_001);
    const before = eventsOf(await stream.until(has(2)));
    assert.deepEqual(
      before.map(({ type }) => type),
      ['store.reset', 'plant.created'],
    );
    await sandbox.send('POST', '/sandbox/reset');
    await stream.until(has(3));
    await create(sandbox, 5_002);
    const types = eventsOf(await stream.until(has(4))).map(({ type, sequence }) => `${type} ${sequence}`);
    assert.deepEqual(types.slice(2), ['store.reset 3', 'plant.created 4']);
    // A page continues there too.
    const { events } = await readPage(sandbox, `/events?after=${before[1]?.id}`);
    assert.deepEqual(
      events.map(({ type }) => type),
      ['store.reset', 'plant.created'],
    );
    sandbox.close();
  });

  test('of another store stays silent', async () => {
    const [one, other] = [await service.as({ store: 'loud' }), await service.as({ store: 'silent' })];
    using stream = await openStream(other, '/events', SSE);
    await create(one, 1);
    await create(other, 2);
    assert.deepEqual(briefly(eventsOf(await stream.until(has(1)))), ['plant.created 2']);
  });

  for (const type of [SSE, 'application/jsonl'] as const) {
    test(`of ${type} continues after a pause of its client, also with emojis`, { timeout: 60_000 }, async () => {
      const store = `paused ${type}`;
      const client = await service.as({ store });
      using stream = await openStream(client, '/events', type);
      // More than the buffers of both systems hold. A character has two UTF-16 units and four bytes.
      const name = '🌱'.repeat(1_024);
      const plants = Array.from({ length: 2_000 }, (_, i) => ({ id: BigInt(i), name }));
      await service.engine.plants.createMany(store, plants);
      // Until the service waits for the client.
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      // The text is long, and each search copies it whole. So this searches once all names can be there.
      const all = plants.length * name.length;
      await stream.until((text) => text.length > all && text.includes('"sequence":2000,', text.length - 100_000));
    });
  }

  test('whose client does not read is cut off, while others are served', async () => {
    await using small = await startTestService({ events: true, requestTimeout: 1_000 });
    const { client } = small;
    const socket = connect({ port: small.running.address.port, host: '127.0.0.1' });
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    socket.on('close', () => resolve());
    socket.on('error', () => undefined);
    socket.pause();
    socket.write(`GET /events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${client.token}\r\nAccept: ${SSE}\r\n\r\n`);
    const name = 'x'.repeat(1_024);
    // More than the buffers of both systems hold.
    for (let id = 0; id < 10_000; id += 400) {
      const many = Array.from({ length: 400 }, (_, i) => ({ id: BigInt(id + i), name, tag: name }));
      await small.engine.plants.createMany('default', many);
      assert.equal((await client.send('GET', '/plants?limit=1')).status, 200);
    }
    // The end is seen only by a socket that reads. The service has closed the connection before.
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    socket.resume();
    await closed;
    assert.ok(socket.bytesRead < 10_000 * 2_048, `${socket.bytesRead} bytes`);
  });
});

for (const [what, path, accept] of [
  ['a stream', '/events', SSE],
  ['a request that waits', '/events?wait=30', 'application/json'],
] as const) {
  test(`${what} ends properly after its client has closed its side of the connection`, async () => {
    await using service = await startTestService({ events: true });
    const { token } = service.client;
    const socket = connect({ port: service.running.address.port, host: '127.0.0.1' });
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nAccept: ${accept}\r\n\r\n`);
    await new Promise((resolve) => setTimeout(resolve, 100));
    socket.end();
    let text = '';
    for await (const chunk of socket) text += chunk;
    // The runner would end this test before the request has waited for 30 s.
    assert.match(text, /^HTTP\/1\.1 200 OK\r\n.*(?:\r\n\r\n\[\]|\n\r\n0\r\n\r\n)$/s);
  });
}

test('streams end properly if their clients close their side while events wait for a turn', async () => {
  await using service = await startTestService({ events: true, sandboxes: 1 });
  const client = await enterSandbox(service);
  for (const id of [1, 2, 3]) await create(client, id);
  const head = `Host: x\r\nAuthorization: Bearer ${client.token}\r\nAccept: ${SSE}\r\nConnection: close\r\n`;
  const read = async () => {
    const socket = connect({ port: service.running.address.port, host: '127.0.0.1' });
    socket.end(`GET /events HTTP/1.1\r\n${head}\r\n`);
    let text = '';
    for await (const chunk of socket) text += chunk;
    assert.match(text, /^HTTP\/1\.1 200 OK\r\n.*\n\r\n0\r\n\r\n$/s);
  };
  await Promise.all(Array.from({ length: 50 }, read));
  client.close();
  assert.doesNotMatch(service.log(), /"level":(50|60)/);
});

for (const [what, fields, events] of [
  ['a stream', '', 1],
  ['a silent stream', 'Fault: silent\r\n', 0],
] as const) {
  test(`${what} ends when its client sends another request on the connection, which gets its response`, async () => {
    await using service = await startTestService({ events: true, sandboxes: 1 });
    const { token, send } = await enterSandbox(service);
    await send('POST', '/plants', { body: { id: 1, name: 'Aloe' } });
    const socket = connect({ port: service.running.address.port, host: '127.0.0.1' });
    const head = `Host: x\r\nAuthorization: Bearer ${token}\r\n`;
    socket.write(`GET /events HTTP/1.1\r\n${head}Accept: ${SSE}\r\n${fields}\r\n`);
    socket.write(`GET /plants/1 HTTP/1.1\r\n${head}Connection: close\r\n\r\n`);
    let text = '';
    for await (const chunk of socket) text += chunk;
    assert.match(text, /^HTTP\/1\.1 200 OK\r\n.*\r\n0\r\n\r\nHTTP\/1\.1 200 OK\r\n.*\{"id":1,"name":"Aloe"\}$/s);
    assert.equal(text.split('event: plant.created').length - 1, events);
  });
}

for (const [what, fields, behind, statuses] of [
  ['a malformed request', '', '\0\r\n\r\n', [200, 400]],
  ['a method that no server knows', '', 'BREW / HTTP/1.1\r\nHost: x\r\n\r\n', [200, 405]],
  ['CONNECT', '', 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n', [200, 405]],
  ['half a request that is late', '', 'GET /hea', [200, 400]],
  ['a malformed body', 'Transfer-Encoding: chunked\r\n', 'no chunk', [200]],
  ['a body that is late', 'Content-Length: 9\r\n', 'short', [200]],
  [
    'a request behind an upgrade',
    'Connection: Upgrade\r\nUpgrade: h2c\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n',
    '',
    [200],
  ],
] as const) {
  test(`a silent stream ends, and its connection closes, after ${what} on it`, async () => {
    await using service = await startTestService({ events: true, sandboxes: 1, requestTimeout: 1_000 });
    const { token } = await enterSandbox(service);
    const socket = connect({ port: service.running.address.port, host: '127.0.0.1' });
    const head = `Host: x\r\nAuthorization: Bearer ${token}\r\nAccept: ${SSE}\r\nFault: silent\r\n`;
    socket.write(`GET /events HTTP/1.1\r\n${head}${fields}\r\n`);
    let text = '';
    for await (const chunk of socket) {
      if (text === '') socket.write(behind);
      text += chunk;
    }
    assert.match(text, /\r\n0\r\n\r\n/);
    assert.deepEqual(
      Array.from(text.matchAll(/HTTP\/1\.1 (\d+)/g), ([, status]) => Number(status)),
      statuses,
    );
  });
}

test('a request that waits ends at a reset, and when its token ends', async () => {
  await using service = await startTestService({ events: true, sandboxes: 10 });
  const sandbox = await enterSandbox(service);
  const token = await service.as({ store: 'ending' });
  const waitOf = async (client: Client) => {
    const { next } = await readPage(client, '/events?after=latest');
    // The response is not awaited yet, but its cursor is from before what follows.
    return { response: client.send('GET', `${next}&wait=30`) };
  };
  const [beforeReset, beforeEnd] = [await waitOf(sandbox), await waitOf(token)];
  assert.equal((await sandbox.send('POST', '/sandbox/reset')).status, 204);
  const [event] = (await beforeReset.response).json() as readonly ReadEvent[];
  assert.equal(event?.type, 'store.reset');
  await service.engine.tokens.revoke(hashToken(token.token), Date.now());
  assert.equal(errorOf(await beforeEnd.response), 40101);
  const beforeDeletion = await waitOf(sandbox);
  await sandbox.send('DELETE', '/sandbox');
  assert.equal(errorOf(await beforeDeletion.response), 40102);
  for (const client of [sandbox, token]) client.close();
});

test('idle streams read nothing from the store, and end when events are turned off', async () => {
  let reads = 0;
  const countReads: OpenFeature = () => ({
    plants: (own) => ({
      ...own,
      events(...place) {
        reads++;
        return own.events(...place);
      },
    }),
  });
  await using service = await startTestService({ events: true, features: [countReads] });
  const { client, engine } = service;
  await create(client, 1);
  const streams = await Promise.all(Array.from({ length: 5 }, () => openStream(client, '/events', SSE)));
  await Promise.all(streams.map((stream) => stream.until(has(1))));
  // Each stream reads once more, and finds nothing.
  await new Promise((resolve) => setTimeout(resolve, 500));
  reads = 0;
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  assert.equal(reads, 0);
  await create(client, 2);
  await Promise.all(streams.map((stream) => stream.until(has(2))));
  assert.ok(reads >= streams.length);
  await engine.events.turnOff();
  await Promise.all(streams.map((stream) => assert.rejects(stream.end())));
});

test('a stream ends when events were turned off and on again, since the numbers begin again', async () => {
  await using service = await startTestService({ events: true });
  const { client, engine } = service;
  await create(client, 1);
  using stream = await openStream(client, '/events', SSE);
  await stream.until(has(1));
  const { next } = await readPage(client, '/events');
  await engine.events.turnOff();
  await engine.statements.write('DELETE FROM events', []);
  await engine.statements.write('DELETE FROM event_counts', []);
  await engine.events.turnOn();
  await create(client, 2);
  await create(client, 3);
  // The next event has the number 2, which the stream waits for. The first event of the new period would be missing.
  await assert.rejects(stream.until(has(2)));
  assert.equal(errorOf(await client.send('GET', next)), 41000);
});

test('streams and waiting requests end at once when the service stops', async () => {
  const service = await startTestService({ events: true });
  const { client } = service;
  using stream = await openStream(client, '/events', SSE);
  await create(client, 1);
  await stream.until(has(1));
  const { next } = await readPage(client, '/events');
  const waiting = readPage(createClient(client.url, client.token), `${next}&wait=30`);
  await new Promise((resolve) => setTimeout(resolve, 100));
  // The drain time-out of the tests is 30 s, and the runner would end this test earlier.
  await service[Symbol.asyncDispose]();
  assert.deepEqual((await waiting).events, []);
  assert.equal(eventsOf(await stream.end()).length, 1);
});
