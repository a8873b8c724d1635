/** The table of budgets in 'Budgets of visitors': each line is reached by a visitor, and another is not refused. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import { serveOptionsWith } from '../../../src/cli/serve.ts';
import type { OpenFeature } from '../../../src/feature.ts';
import { FEATURES } from '../../../src/features/index.ts';
import { type Call, type Client, type ClientResponse, createClient, errorOf } from '../../harness/client.ts';
import { startTestService, type TestOptions, type TestService } from '../../harness/service.ts';

/** The lines of the table, by resource. */
function readTable(): ReadonlyMap<string, string> {
  const page = readFileSync(new URL('../../../docs/guide/budgets.md', import.meta.url), 'utf8');
  const [, table = ''] = /\n\| resource \|.*\n\| ---.*\n((?:\|.*\n)+)/.exec(page) ?? [];
  const lines = table.trimEnd().split('\n');
  return new Map(lines.map((line) => [(line.split('|')[1] ?? '').replace(/ [¹²³⁴⁵⁶⁷⁸⁹]/, '').trim(), line]));
}

/** A client whose requests come from one address, by a proxy, and whose token is of a sandbox from there. */
interface Visitor {
  readonly client: Client;
  send(method: string, target: string, call?: Call): Promise<ClientResponse>;
}

const BIG = '\u{1F331}'.repeat(1_024);
const OFTEN = { quota: 2, window: 3_600 };
/** The least that the options allow. */
const SMALL = { sandboxSize: 65_536, sandboxMemory: 65_536 };

interface Line {
  readonly options?: TestOptions;
  /** Sends what the budget limits, again and again. */
  send(visitor: Visitor, i: number, sockets: Socket[]): Promise<ClientResponse>;
  /** The error number beyond the budget. */
  readonly error: number;
  /** How many requests the budget allows, if that is a number of the table. */
  readonly allowed?: number;
}

const create = ({ send }: Visitor, id: number, name: string) => send('POST', '/plants', { body: { id, name } });
const bigPlants = (visitor: Visitor) => Promise.all([1, 2, 3].map((id) => create(visitor, id, BIG)));

/** Sends requests that wait, and then one whose response tells whether there is room for it. */
async function hold(visitor: Visitor, fault: string, sockets: Socket[], count = 1): Promise<ClientResponse> {
  const { url, token } = visitor.client;
  for (let i = 0; i < count; i++) {
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' }).on('error', () => undefined);
    sockets.push(socket);
    socket.write(`GET /plants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nFault: ${fault}\r\n\r\n`);
  }
  return visitor.send('GET', '/plants', { headers: { Fault: 'delay;ms=1;when=afterCommit' } });
}

/**
 * Sends a request for events that waits or stays open, and then one whose response tells whether there is room for it.
 */
async function holdEvents(visitor: Visitor, head: (next: string) => string, sockets: Socket[]) {
  const { url, token } = visitor.client;
  const nextPage = async () =>
    /^<(.*)>/.exec(String((await visitor.send('GET', '/events')).headers['link']))?.[1] ?? '';
  const next = await nextPage();
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' }).on('error', () => undefined);
  sockets.push(socket);
  await once(socket, 'connect');
  socket.write(`GET ${head(next)}\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  // The first request arrives before this one ends.
  await nextPage();
  return visitor.send('GET', `${next}&wait=1`);
}

/** By resource. A resource that several requests can reach, or that two numbers limit, has a suffix after a colon. */
const LINES: Readonly<Record<string, Line>> = {
  sandboxes: {
    options: { sandboxesPerAddress: 3 },
    send: ({ send }) => send('POST', '/sandboxes', { token: null, body: {} }),
    error: 42901,
    // The visitor has one already.
    allowed: 2,
  },
  'new sandboxes': {
    options: { sandboxCreateRate: OFTEN },
    send: ({ send }) => send('POST', '/sandboxes', { token: null, body: {} }),
    error: 42902,
    allowed: 1,
  },
  'requests to `/sandbox`': {
    options: { sandboxControlRate: OFTEN },
    send: ({ send }) => send('GET', '/sandbox'),
    error: 42902,
    allowed: 2,
  },
  'plants: number': {
    options: { sandboxPlants: 2 },
    send: (visitor, i) => create(visitor, i, 'Fern'),
    error: 40010,
    allowed: 2,
  },
  'plants: disk space': {
    options: SMALL,
    send: (visitor, i) => create(visitor, i, BIG),
    error: 40010,
    // Each counts as 200 + 4,096 + 4,096 bytes.
    allowed: 7,
  },
  webhooks: {
    options: { webhooks: true },
    send: ({ send }) => send('POST', '/webhooks', { body: {} }),
    error: 40031,
    allowed: 10,
  },
  snapshots: {
    send: ({ send }) => send('POST', '/sandbox/snapshots'),
    error: 40010,
    allowed: 5,
  },
  'resets and snapshots in progress': {
    async send(visitor, i) {
      await bigPlants(visitor);
      const together = Array.from({ length: i + 1 }, () => visitor.send('POST', '/sandbox/reset'));
      const resets = await Promise.all(together);
      return resets.find(({ status }) => status >= 400) ?? (resets[0] as ClientResponse);
    },
    error: 42902,
  },
  'requests, responses and streams that wait: responses': {
    options: SMALL,
    async send(visitor, i, sockets) {
      if (i === 0) await create(visitor, 1, 'a'.repeat(500));
      return hold(visitor, 'slow;rate=1', sockets);
    },
    error: 42902,
  },
  'requests that wait because of a fault': {
    // Many together, since each waits for only 30 s.
    send: (visitor, _, sockets) => hold(visitor, 'delay;ms=30000', sockets, 10),
    error: 42902,
  },
  'requests, responses and streams that wait: streams': {
    // Room for three streams or waiting requests of a sandbox.
    options: { events: true, sandboxMemory: 2 ** 21 },
    send: (visitor, _, sockets) => holdEvents(visitor, () => '/events HTTP/1.1\r\nAccept: text/event-stream', sockets),
    error: 42902,
  },
  'requests, responses and streams that wait: requests for an event': {
    options: { events: true, sandboxMemory: 2 ** 21 },
    send: (visitor, _, sockets) => holdEvents(visitor, (next) => `${next}&wait=30 HTTP/1.1`, sockets),
    error: 42902,
  },
};

async function visit({ client }: TestService, address: string): Promise<Visitor & Disposable> {
  const headers = { 'X-Forwarded-For': address };
  const made = await client.send('POST', '/sandboxes', { token: null, body: {}, headers });
  const visitor = createClient(client.url, (made.json() as { token: string }).token);
  return {
    client: visitor,
    send: (method, target, call = {}) =>
      visitor.send(method, target, { ...call, headers: { ...headers, ...call.headers } }),
    [Symbol.dispose]: visitor.close,
  };
}

/** The lines that refuse nothing. */
const OTHERS: Readonly<Record<string, () => Promise<void>>> = {
  async 'long pages'() {
    await using service = await startTestService({ sandboxes: 10, trustProxy: ['127.0.0.1'] });
    using greedy = await visit(service, '192.0.2.1');
    using other = await visit(service, '192.0.2.2');
    for (const visitor of [greedy, other]) {
      await Promise.all(Array.from({ length: 150 }, (_, id) => create(visitor, id, BIG)));
    }
    const ends: string[] = [];
    const list = async (who: string, { send }: Visitor) => {
      assert.equal((await send('GET', '/plants?limit=1000')).status, 200);
      ends.push(who);
    };
    // Visitors take turns, so the other visitor does not wait for all pages of the greedy one.
    await Promise.all([list('greedy', greedy), list('greedy', greedy), list('greedy', greedy), list('other', other)]);
    assert.notEqual(ends.at(-1), 'other');
  },
  async 'record of requests'() {
    await using service = await startTestService({ sandboxes: 10 });
    using visitor = await visit(service, '');
    for (let i = 0; i < 101; i++) await visitor.send('GET', '/plants');
    const record = (await visitor.send('GET', '/sandbox/requests')).json() as { number: number }[];
    assert.deepEqual([record.length, record[0]?.number], [100, 2]);
  },
  async 'stored events'() {
    await using service = await startTestService({ sandboxes: 10, events: true });
    using visitor = await visit(service, '');
    for (let i = 0; i < 510; i++) {
      await visitor.send('POST', '/plants', { body: { id: 1, name: 'Fern' } });
      await visitor.send('DELETE', '/plants/1');
    }
    const events = (await visitor.send('GET', '/events?limit=1')).json() as { sequence: number }[];
    // The first of 1,021 events is of the store itself.
    assert.deepEqual(
      events.map(({ sequence }) => sequence),
      [1_021 - 500 + 1],
    );
    // The event of a reset continues the sequence, and the oldest event goes.
    await visitor.send('POST', '/sandbox/reset');
    assert.deepEqual(
      await service.engine.statements.read('SELECT min(number), max(number), count(*) FROM events', []),
      [[523n, 1_022n, 500n]],
    );
  },
  async connections() {
    await using service = await startTestService({ sandboxes: 10, maxConnectionsPerAddress: 2 });
    const port = Number(new URL(service.client.url).port);
    const responds = (localAddress: string) =>
      new Promise<boolean>((resolve) => {
        const socket = connect({ port, host: '127.0.0.1', localAddress });
        socket.on('data', () => resolve(true)).on('close', () => resolve(false));
        socket.on('error', () => undefined).write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
      });
    // The harness itself may hold a connection from 127.0.0.1.
    const [one, two, three] = [await responds('127.0.0.2'), await responds('127.0.0.2'), await responds('127.0.0.2')];
    assert.deepEqual([one, two, three, await responds('127.0.0.3')], [true, true, false, true]);
  },
  async 'pipelined requests, and chunks of bodies, that wait'() {
    await using service = await startTestService({ sandboxes: 10 });
    using visitor = await visit(service, '');
    const sockets: Socket[] = [];
    const responds = (localAddress: string, text: string) =>
      new Promise<boolean>((resolve) => {
        const socket = connect({ port: Number(new URL(service.client.url).port), host: '127.0.0.1', localAddress });
        sockets.push(socket);
        socket.on('data', () => resolve(true)).on('close', () => resolve(false));
        socket.on('error', () => undefined).write(text);
      });
    const short = 'GET /x HTTP/1.1\r\nHost:\r\n\r\n';
    const fields = `Host:\r\nAuthorization: Bearer ${visitor.client.token}\r\n`;
    const delayed = `GET /plants HTTP/1.1\r\n${fields}Fault: delay;ms=30000\r\n\r\n`;
    // Each pipeline takes 6.4 MB.
    for (let i = 0; i < 4; i++) void responds('127.0.0.2', delayed + short.repeat(2_000));
    assert.equal(await responds('127.0.0.3', short), true);
    const late = responds('127.0.0.2', short);
    for (let i = 0; i < 5; i++) assert.equal(await responds('127.0.0.3', short), true);
    for (const socket of sockets) socket.destroy();
    assert.equal(await late, false);
  },
};

describe('the table of budgets', () => {
  const table = readTable();
  test('has a check for each line', () => {
    const checked = [...Object.keys(LINES), ...Object.keys(OTHERS)].map((name) => name.split(': ', 1)[0]);
    assert.deepEqual(new Set(table.keys()), new Set(checked));
  });
  for (const [resource, { options = {}, send, error, allowed }] of Object.entries(LINES)) {
    test(`${resource}: beyond the budget a visitor gets ${error}, and another does not`, async () => {
      await using service = await startTestService({ sandboxes: 10, trustProxy: ['127.0.0.1'], ...options });
      using visitor = await visit(service, '192.0.2.1');
      using other = await visit(service, '192.0.2.2');
      const sockets: Socket[] = [];
      let i = 0;
      let response = await send(visitor, i, sockets);
      while (response.status < 400) response = await send(visitor, ++i, sockets);
      assert.equal(errorOf(response), error);
      if (allowed !== undefined) assert.equal(i, allowed);
      if (response.status === 429) assert.match(String(response.headers['retry-after']), /^\d+$/);
      assert.ok((await send(other, 0, sockets)).status < 400);
      for (const socket of sockets) socket.resetAndDestroy();
    });
  }
  for (const [resource, check] of Object.entries(OTHERS)) test(resource, check);

  test('names the default of each option', () => {
    const options = Object.entries(serveOptionsWith(FEATURES));
    for (const [resource, line] of table) {
      for (const [, flag = ''] of line.matchAll(/`--([a-z-]+)`/g)) {
        const name = flag.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
        const option = options.find(([one]) => one === name)?.[1];
        assert.ok(option, flag);
        if (!('default' in option)) continue;
        assert.ok(line.replaceAll(/[ ,]/g, '').includes(String(option.default)), `${resource}: ${option.default}`);
      }
    }
  });
});

test('the long events of a sandbox are read a few at a time, and its short events together', async () => {
  let limits: number[] = [];
  const count: OpenFeature = () => ({
    plants: (own) => ({
      ...own,
      events(store, after, limit) {
        limits.push(limit);
        return own.events(store, after, limit);
      },
    }),
  });
  await using service = await startTestService({ sandboxes: 10, events: true, features: [count] });
  for (const [name, most] of [
    [BIG, 64],
    ['Fern', 4],
  ] as const) {
    using visitor = await visit(service, '');
    for (let id = 1; id <= 150; id++) await create(visitor, id, name);
    limits = [];
    const events = (await visitor.send('GET', '/events?limit=140')).json() as { sequence: number }[];
    assert.deepEqual(
      events.map(({ sequence }) => sequence),
      Array.from({ length: 140 }, (_, i) => i + 1),
    );
    assert.equal(limits[0], 1);
    assert.ok(limits.length <= most, `${limits.length} reads`);
    // An event with the long name takes 4,246 bytes.
    if (name === BIG)
      assert.ok(
        limits.every((limit) => limit <= 15),
        limits.join(),
      );
  }
});

test('a sandbox gets a page of 250 of the longest events, whose bytes count once', async () => {
  // An eighth of this is room for the page once, but not twice.
  await using service = await startTestService({ sandboxes: 10, events: true, sandboxMemory: 48 * 2 ** 20 });
  using visitor = await visit(service, '');
  await create(visitor, 1, BIG);
  for (let i = 0; i < 251; i++) {
    const body = { name: i % 2 === 0 ? BIG : [...BIG].toReversed().join(''), tag: BIG };
    assert.equal((await visitor.send('PUT', '/plants/1', { body })).status, 200);
  }
  const page = await visitor.send('GET', '/events?limit=250');
  assert.equal(page.status, 200, page.text.slice(0, 200));
  assert.equal((page.json() as object[]).length, 250);
});
