/** Sandboxes: private stores that anyone can create, until they expire. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { plantSize } from '../../../src/stores/plant-size.ts';
import { AUDIENCE, startIssuer } from '../../auth/issuer.ts';
import { type Client, type ClientResponse, createClient, errorOf } from '../../harness/client.ts';
import { createDirectory } from '../../harness/directory.ts';
import { serveProcess } from '../../harness/process.ts';
import { startTestService } from '../../harness/service.ts';
import { enterSandbox, makeSandbox, QUICK, waitUntil } from './sandbox.ts';

const ALOE = { id: 12, name: 'Aloe vera', tag: 'succulent' };
const idsOf = async (client: Client) =>
  ((await client.send('GET', '/plants?limit=1000')).json() as { id: number }[]).map(({ id }) => id);

describe('a sandbox', async () => {
  const service = await startTestService({ sandboxes: 1_000, sandboxPlants: 60, sandboxTimes: QUICK });
  after(() => service[Symbol.asyncDispose]());

  test('needs no body to be created, and refuses unknown members by name', async () => {
    const create = (body?: string, headers = {}) =>
      service.client.send('POST', '/sandboxes', { token: null, headers, ...(body !== undefined && { body }) });
    for (const headers of [{}, { 'Content-Length': '0' }, { 'Content-Type': 'application/json' }]) {
      const made = await create(undefined, headers);
      assert.equal(made.status, 201, made.text);
      const client = createClient(service.client.url, (made.json() as { token: string }).token);
      assert.deepEqual(await idsOf(client), []);
      client.close();
    }
    const refused = await create('{"plant": "garden"}');
    assert.deepEqual(refused.json(), { error: 40005, message: 'plant is unknown; the members are plants, ttl.' });
    const client = await enterSandbox(service);
    // The members of the kinds in `faults`.
    const { components } = (await client.send('GET', '/sandbox/openapi.json')).json() as {
      components: { schemas: { Fault: { properties: object } } };
    };
    const members = Object.keys(components.schemas.Fault.properties).join(', ');
    for (const [rule, message] of [
      [{ fault: { kind: 'status', statsu: 503 } }, `0.fault.statsu is unknown; the members are ${members}.`],
      [
        { fault: { kind: 'reset' }, wen: 'afterCommit' },
        '0.wen is unknown; the members are fault, match, when, skip, times, share, seed.',
      ],
      [
        { fault: { kind: 'reset' }, match: { ids: 1 } },
        '0.match.ids is unknown; the members are operation, id, message.',
      ],
    ] as const) {
      const response = await client.send('PUT', '/sandbox/faults', { body: [rule] });
      assert.deepEqual(response.json(), { error: 40005, message });
    }
    client.close();
  });

  test('is created by one request without a credential, and stores plants', async () => {
    const sandbox = await enterSandbox(service);
    assert.equal((await sandbox.send('POST', '/plants', { body: ALOE })).status, 200);
    assert.deepEqual((await sandbox.send('GET', '/plants/12')).json(), ALOE);
    sandbox.close();
  });

  test('shows its id, initial plants and expiry', async () => {
    const made = await makeSandbox(service.client, { plants: 'garden', ttl: 60 });
    const sandbox = createClient(service.client.url, made.token);
    const found = (await sandbox.send('GET', '/sandbox')).json() as Record<string, string>;
    assert.deepEqual([found['id'], found['plants'], found['expiresAt']], [made.id, 'garden', made.expiresAt]);
    assert.equal(Date.parse(made.expiresAt) - Date.parse(String(found['createdAt'])), 60_000);
    assert.ok((await idsOf(sandbox)).length > 40);
    sandbox.close();
  });

  test('never lives longer than the service allows', async () => {
    const { expiresAt } = await makeSandbox(service.client, { ttl: 2_000_000_000 });
    assert.ok(Date.parse(expiresAt) <= Date.now() + 86_400_000);
  });

  test('refuses plants beyond its maximum, but accepts a repeated create', async () => {
    const sandbox = await enterSandbox(service);
    for (let id = 1; id <= 60; id++) await sandbox.send('POST', '/plants', { body: { id, name: 'Fern' } });
    const refused = await sandbox.send('POST', '/plants', { body: { id: 61, name: 'Fern' } });
    assert.equal(errorOf(refused), 40010);
    assert.match(refused.text, /The sandbox is full: its maximum number of plants is 60\. Delete plants, or reset/);
    assert.equal((await sandbox.send('POST', '/plants', { body: { id: 60, name: 'Fern' } })).status, 200);
    await sandbox.send('DELETE', '/plants/1');
    assert.equal((await sandbox.send('POST', '/plants', { body: { id: 61, name: 'Fern' } })).status, 200);
    sandbox.close();
  });

  test('has room for exactly its maximum, whatever requests are sent at the same time', async () => {
    const sandbox = await enterSandbox(service);
    const create = (id: number, name = 'Fern') => sandbox.send('POST', '/plants', { body: { id, name } });
    for (let round = 0; round < 3; round++) {
      // Half of the creates are repeated, and some are refused for another reason.
      const ids = Array.from({ length: 120 }, (_, i) => 1 + Math.floor(i / 2) * 2);
      const first = await Promise.all(ids.map((id, i) => create(id, i % 10 === 9 ? 'Moss' : 'Fern')));
      assert.ok(first.every((one) => one.status === 200 || errorOf(one) === 40009));
      assert.equal((await idsOf(sandbox)).length, 60);
      const more = await Promise.all(Array.from({ length: 30 }, (_, i) => create(200 + i)));
      assert.deepEqual([...new Set(more.map(errorOf))], [40010]);
      const deleted = await Promise.all(
        Array.from({ length: 20 }, (_, i) => sandbox.send('DELETE', `/plants/${1 + 2 * i}`)),
      );
      assert.ok(deleted.every(({ status }) => status === 204));
      const again = await Promise.all(Array.from({ length: 30 }, (_, i) => create(300 + i)));
      assert.equal(again.filter(({ status }) => status === 200).length, 20);
      await sandbox.send('POST', '/sandbox/reset');
    }
    sandbox.close();
  });

  test('is reset to its initial plants or to a snapshot', async () => {
    const sandbox = await enterSandbox(service);
    await sandbox.send('POST', '/plants', { body: ALOE });
    const first = await sandbox.send('POST', '/sandbox/snapshots');
    assert.equal((first.json() as { number: number }).number, 1);
    await sandbox.send('POST', '/plants', { body: { id: 13, name: 'Agave' } });
    assert.equal((await sandbox.send('POST', '/sandbox/reset?snapshot=1')).status, 204);
    assert.deepEqual(await idsOf(sandbox), [12]);
    assert.equal((await sandbox.send('POST', '/sandbox/reset')).status, 204);
    assert.deepEqual(await idsOf(sandbox), []);
    assert.equal(errorOf(await sandbox.send('POST', '/sandbox/reset?snapshot=2')), 40402);
    sandbox.close();
  });

  test('has at most five snapshots', async () => {
    const sandbox = await enterSandbox(service);
    for (let i = 0; i < 5; i++) assert.equal((await sandbox.send('POST', '/sandbox/snapshots')).status, 201);
    assert.equal(errorOf(await sandbox.send('POST', '/sandbox/snapshots')), 40010);
    const { snapshots } = (await sandbox.send('GET', '/sandbox')).json() as { snapshots: { number: number }[] };
    assert.deepEqual(
      snapshots.map(({ number }) => number),
      [1, 2, 3, 4, 5],
    );
    sandbox.close();
  });

  test('has at most five snapshots if many are created at the same time, each with its own number', async () => {
    const sandbox = await enterSandbox(service);
    const numbers: number[] = [];
    for (let refused = false; !refused; ) {
      const made = await Promise.all(Array.from({ length: 16 }, () => sandbox.send('POST', '/sandbox/snapshots')));
      for (const one of made) if (one.status === 201) numbers.push((one.json() as { number: number }).number);
      refused = made.some((one) => one.status === 400);
      assert.ok(made.every((one) => one.status === 201 || [40010, 42902].includes(errorOf(one))));
    }
    assert.deepEqual(numbers.sort(), [1, 2, 3, 4, 5]);
    sandbox.close();
  });

  test('never shows a reader half of a reset', async () => {
    const sandbox = await enterSandbox(service, { plants: 'garden' });
    const whole = (await idsOf(sandbox)).length;
    let isOver = false;
    const seen = new Set<number>();
    const read = async () => {
      while (!isOver) seen.add((await idsOf(sandbox)).length);
    };
    const readers = [read(), read(), read()];
    for (let i = 0; i < 10; i++) {
      await sandbox.send('DELETE', '/plants/1');
      await sandbox.send('POST', '/sandbox/reset');
    }
    isOver = true;
    await Promise.all(readers);
    assert.ok(
      [...seen].every((count) => count === whole || count === whole - 1),
      [...seen].join(),
    );
    sandbox.close();
  });

  test('can be deleted: its token is then refused, and the message explains how to create another', async () => {
    const sandbox = await enterSandbox(service);
    assert.equal((await sandbox.send('DELETE', '/sandbox')).status, 204);
    const refused = await sandbox.send('GET', '/plants');
    assert.equal(errorOf(refused), 40102);
    assert.match(refused.text, /POST \/sandboxes/);
    sandbox.close();
  });

  test('refuses its operations without a token and with any other token', async () => {
    for (const [method, target] of [
      ['GET', '/sandbox'],
      ['DELETE', '/sandbox'],
      ['POST', '/sandbox/reset'],
      ['POST', '/sandbox/snapshots'],
      ['GET', '/sandbox/faults'],
      ['PUT', '/sandbox/faults'],
      ['GET', '/sandbox/requests'],
    ]) {
      const send = (token?: string | null) =>
        service.client.send(method ?? '', target ?? '', { body: [], ...(token === undefined ? {} : { token }) });
      assert.equal(errorOf(await send()), 40300);
      const stranger = await send(null);
      assert.equal(errorOf(stranger), 40100);
      assert.match(stranger.text, /needs a token.* POST \/sandboxes creates a sandbox with a token/);
      assert.equal(errorOf(await send('pss_unknown')), 40101);
      const demo = await send('demo');
      assert.equal(errorOf(demo), 40101);
      assert.match(demo.text, /is not valid.* POST \/sandboxes creates a sandbox with a token/);
    }
  });

  test('neither sees nor changes another sandbox, whatever requests are sent to each', async () => {
    const clients = [service.client, ...(await Promise.all([1, 2, 3].map(() => enterSandbox(service))))];
    const models = clients.map(() => new Map<number, string>());
    const step = fc.record({
      at: fc.nat(clients.length - 1),
      id: fc.integer({ min: 1, max: 6 }),
      act: fc.constantFrom('create', 'replace', 'delete', 'reset'),
      name: fc.constantFrom('Aloe', 'Agave'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
        for (const { at, id, act, name } of steps) {
          const [client, model] = [clients[at] as Client, models[at] as Map<number, string>];
          if (act === 'create') {
            await client.send('POST', '/plants', { body: { id, name } });
            if (!model.has(id)) model.set(id, name);
          } else if (act === 'replace') {
            await client.send('PUT', `/plants/${id}`, { body: { name } });
            if (model.has(id)) model.set(id, name);
          } else if (act === 'delete') {
            await client.send('DELETE', `/plants/${id}`);
            model.delete(id);
          } else if (at > 0) {
            await client.send('POST', '/sandbox/reset');
            model.clear();
          }
        }
        for (const [i, client] of clients.entries()) {
          const found = (await client.send('GET', '/plants')).json() as { id: number; name: string }[];
          assert.deepEqual(new Map(found.map(({ id, name }) => [id, name])), new Map([...(models[i] ?? [])].sort()));
        }
      }),
      { numRuns: 10 },
    );
    for (const client of clients.slice(1)) client.close();
  });
});

describe('the plants of a sandbox', async () => {
  const size = 65_536;
  const service = await startTestService({ sandboxes: 100, sandboxSize: size });
  after(() => service[Symbol.asyncDispose]());
  const long = { name: 'é'.repeat(1_024), tag: 't' };
  const fitting = Math.floor(size / plantSize(long));
  const create = (client: Client, id: number, plant: object) =>
    client.send('POST', '/plants', { body: { id, ...plant } });
  const statuses = (responses: readonly ClientResponse[], status: number) =>
    responses.filter((response) => response.status === status).length;
  const enter = async (count: number) => {
    const sandbox = await enterSandbox(service);
    after(() => sandbox.close());
    const made = await Promise.all(Array.from({ length: count }, (_, id) => create(sandbox, id, long)));
    assert.equal(statuses(made, 200), Math.min(count, fitting));
    return sandbox;
  };

  test('take at most the size of a sandbox, also if they are created at the same time', async () => {
    const sandbox = await enter(2 * fitting);
    assert.equal((await idsOf(sandbox)).length, fitting);
    const refused = await create(sandbox, 100, long);
    assert.equal(errorOf(refused), 40010);
    assert.match(refused.text, /The sandbox is full: its plants may take 64 KiB\. Delete plants, or reset the sandbox/);
    // Neither a store of an operator nor another sandbox is full.
    assert.equal((await create(service.client, 100, long)).status, 200);
    await enter(1);
    const [id] = await idsOf(sandbox);
    assert.equal((await create(sandbox, Number(id), long)).status, 200);
    assert.equal((await sandbox.send('DELETE', `/plants/${id}`)).status, 204);
    assert.equal((await create(sandbox, 100, long)).status, 200);
    assert.equal(errorOf(await create(sandbox, 101, long)), 40010);
  });

  test('cannot grow beyond the size when they are replaced', async () => {
    const sandbox = await enter(fitting - 1);
    const replace = (id: number, body: object) => sandbox.send('PUT', `/plants/${id}`, { body });
    const short = Array.from({ length: 40 }, (_, i) => i + 50);
    const stored = (await Promise.all(short.map((id) => create(sandbox, id, { name: 'short' })))).flatMap((one, i) =>
      one.status === 200 ? [short[i] ?? 0] : [],
    );
    assert.ok(stored.length > 10);
    const grown = await Promise.all(stored.map((id) => replace(id, long)));
    assert.ok(statuses(grown, 200) <= 1);
    assert.ok(grown.every((one) => one.status === 200 || errorOf(one) === 40010));
    // A plant of the same size still fits, and a shorter one makes room. The order of the errors stays the same.
    assert.equal((await replace(0, long)).status, 200);
    assert.equal((await replace(0, { name: 'short' })).status, 200);
    assert.equal((await create(sandbox, 1_000, { name: 'é'.repeat(500) })).status, 200);
    assert.equal(errorOf(await replace(2_000, long)), 40401);
  });
});

test('the token of an expired sandbox is refused, and the sweeper deletes everything of the sandbox', async () => {
  let now = Date.now();
  await using service = await startTestService({ events: true, sandboxes: 10, sandboxTimes: QUICK, now: () => now });
  const { engine } = service;
  const sandbox = await enterSandbox(service, { plants: 'garden', ttl: 60 });
  await sandbox.send('POST', '/sandbox/snapshots');
  await sandbox.send('POST', '/sandbox/reset');
  now += 60_000;
  assert.equal(errorOf(await sandbox.send('GET', '/plants')), 40102);
  now += QUICK.grace;
  const left = async (table: string) => Number((await engine.statements.read(`SELECT count(*) FROM ${table}`))[0]?.[0]);
  await waitUntil(async () => (await left('sandboxes')) === 0);
  for (const table of ['plants', 'snapshots', 'events', 'event_counts']) assert.equal(await left(table), 0, table);
  assert.equal(errorOf(await sandbox.send('GET', '/plants')), 40101);
  sandbox.close();
});

test('a new sandbox expires after an hour, and its first use extends its life once', async () => {
  let now = Date.now();
  const HOUR = 3_600_000;
  // The sweeper must not remove the unused sandbox in the first seconds after its end.
  const sandboxTimes = { ...QUICK, grace: 10_000 };
  await using service = await startTestService({ sandboxes: 10, sandboxTimes, now: () => now });
  const made = await makeSandbox(service.client);
  const created = now;
  const [used, unused, short] = [
    createClient(service.client.url, made.token),
    await enterSandbox(service),
    await enterSandbox(service, { ttl: 600 }),
  ];
  const expiry = async (client: Client) =>
    Date.parse(String(((await client.send('GET', '/sandbox')).json() as { expiresAt: string }).expiresAt)) - created;
  assert.equal(Date.parse(made.expiresAt) - created, HOUR);
  // An operation that does not touch plants is no use.
  assert.deepEqual([await expiry(used), await expiry(unused), await expiry(short)], [HOUR, HOUR, 600_000]);
  now += 1_000;
  const together = await Promise.all(Array.from({ length: 8 }, () => used.send('GET', '/plants')));
  assert.ok(together.every(({ status }) => status === 200));
  await short.send('GET', '/plants');
  await service.restart();
  for (const client of [used, unused, short]) client.close();
  assert.deepEqual([await expiry(used), await expiry(unused), await expiry(short)], [24 * HOUR, HOUR, 600_000]);
  now += HOUR;
  await used.send('GET', '/plants');
  assert.equal(await expiry(used), 24 * HOUR);
  assert.equal(errorOf(await unused.send('GET', '/plants')), 40102);
  // The sweeper leaves the plants of the used sandbox.
  await used.send('POST', '/plants', { body: ALOE });
  now += 60_000;
  await waitUntil(async () => errorOf(await unused.send('GET', '/plants')) === 40101);
  assert.deepEqual((await used.send('GET', '/plants/12')).json(), ALOE);
  now = created + 24 * HOUR;
  assert.equal(errorOf(await used.send('GET', '/plants')), 40102);
  for (const client of [used, unused, short]) client.close();
});

test('a create that was delayed until its sandbox was swept is refused and stores nothing', async () => {
  await using service = await startTestService({ sandboxes: 10, sandboxTimes: QUICK });
  const { engine } = service;
  const sandbox = await enterSandbox(service);
  const delayed = sandbox.send('POST', '/plants', { body: ALOE, headers: { Fault: 'delay;ms=2000' } });
  await sandbox.send('DELETE', '/sandbox');
  const left = async (table: string) => Number((await engine.statements.read(`SELECT count(*) FROM ${table}`))[0]?.[0]);
  await waitUntil(async () => (await left('sandboxes')) === 0);
  assert.equal((await delayed).status, 401);
  assert.equal(await left('plants'), 0);
  sandbox.close();
});

test('a request is refused if its sandbox was deleted while the body came', async () => {
  await using service = await startTestService({ sandboxes: 10 });
  for (const [method, path, body] of [
    ['POST', '/plants', JSON.stringify(ALOE)],
    ['PUT', '/sandbox/faults', '[]'],
    ['DELETE', '/sandbox/faults', '{}'],
    ['POST', '/sandbox/reset', '{}'],
    ['POST', '/sandbox/snapshots', '{}'],
    ['DELETE', '/sandbox/requests', '{}'],
    ['DELETE', '/sandbox', '{}'],
  ] as const) {
    const { token } = await makeSandbox(service.client);
    const fields = { 'Content-Type': 'application/json', 'Content-Length': body.length, Expect: '100-continue' };
    const headers = { Authorization: `Bearer ${token}`, ...fields };
    const sent = request(`${service.client.url}${path}`, { method, headers });
    sent.flushHeaders();
    // The service has accepted the token.
    await once(sent, 'continue');
    assert.equal((await service.client.send('DELETE', '/sandbox', { token })).status, 204);
    const responded = once(sent, 'response');
    sent.end(body);
    const [response]: IncomingMessage[] = await responded;
    assert.equal(response?.statusCode, 401, `${method} ${path}`);
    response?.destroy();
  }
});

test('a create that was delayed while its sandbox was reset is stored after the reset', async () => {
  await using service = await startTestService({ sandboxes: 10, sandboxTimes: QUICK });
  const sandbox = await enterSandbox(service);
  const delayed = sandbox.send('POST', '/plants', { body: ALOE, headers: { Fault: 'delay;ms=1000' } });
  await sandbox.send('POST', '/sandbox/reset');
  assert.equal((await delayed).status, 200);
  assert.deepEqual((await sandbox.send('GET', '/plants/12')).json(), ALOE);
  sandbox.close();
});

test('a JWT with the scope sandbox has no sandbox', async () => {
  await using issuer = await startIssuer();
  await using service = await startTestService({ sandboxes: 10, jwtIssuer: issuer.url, jwtAudience: AUDIENCE });
  const token = await issuer.sign({ scope: 'plants:read sandbox' });
  for (const target of ['/sandbox', '/sandbox/faults', '/sandbox/requests']) {
    assert.equal(errorOf(await service.client.send('GET', target, { token })), 40300);
  }
  assert.equal((await service.client.send('GET', '/plants', { token })).status, 200);
});

test('a sandbox, its rules and its snapshots survive a restart', async () => {
  await using service = await startTestService({ sandboxes: 10 });
  const sandbox = await enterSandbox(service);
  await sandbox.send('POST', '/plants', { body: ALOE });
  await sandbox.send('POST', '/sandbox/snapshots');
  const rules = [{ fault: { kind: 'status', status: 503 }, match: { operation: 'listPlants' } }];
  await sandbox.send('PUT', '/sandbox/faults', { body: rules });
  await service.restart();
  sandbox.close();
  assert.deepEqual((await sandbox.send('GET', '/sandbox/faults')).json(), rules);
  assert.equal(errorOf(await sandbox.send('GET', '/plants')), 50300);
  assert.deepEqual((await sandbox.send('GET', '/plants/12')).json(), ALOE);
  assert.equal((await sandbox.send('POST', '/sandbox/reset?snapshot=1')).status, 204);
  sandbox.close();
});

describe('the caps', () => {
  const create = (client: Client, headers = {}) =>
    client.send('POST', '/sandboxes', { token: null, body: {}, headers });
  const count = (responses: readonly ClientResponse[], status: number) =>
    responses.filter((response) => response.status === status).length;

  test('hold for the service and for each address when many clients create sandboxes at the same time', async () => {
    await using service = await startTestService({ sandboxes: 10, sandboxesPerAddress: 7, trustProxy: ['127.0.0.1'] });
    const from = (address: string) =>
      Promise.all(Array.from({ length: 32 }, () => create(service.client, { 'X-Forwarded-For': address })));
    const [one, other] = await Promise.all([from('192.0.2.1'), from('192.0.2.2')]);
    assert.ok(count(one, 201) <= 7 && count(other, 201) <= 7);
    assert.equal(count([...one, ...other], 201), 10);
    assert.equal(count([...one, ...other], 429), 54);
    const refused = [...one, ...other].find(({ status }) => status === 429) as ClientResponse;
    assert.deepEqual([errorOf(refused), Number(refused.headers['retry-after']) > 0], [42901, true]);
  });

  test('count no sandbox whose client has left before its turn to be created', async () => {
    using directory = createDirectory();
    const path = directory.at('plants.db');
    await using service = await serveProcess(['--database', `sqlite:${path}`, '--sandboxes', '3']);
    const client = createClient(service.url, service.token ?? '');
    using database = new DatabaseSync(path);
    database.exec('BEGIN IMMEDIATE');
    const first = create(client);
    await sleep(100);
    // They wait until the first sandbox is stored.
    const leaving = Array.from({ length: 5 }, () => {
      const socket = connect({ port: Number(new URL(service.url).port), host: '127.0.0.1' });
      return socket.on('error', () => undefined).setNoDelay();
    });
    for (const socket of leaving) socket.write('POST /sandboxes HTTP/1.1\r\nHost: x\r\n\r\n');
    await sleep(100);
    for (const socket of leaving) socket.resetAndDestroy();
    await sleep(100);
    database.exec('ROLLBACK');
    const created = [await first, await create(client), await create(client), await create(client)];
    assert.deepEqual(
      created.map(({ status }) => status),
      [201, 201, 201, 429],
    );
    client.close();
  });

  test('allow the networks of an IPv6 site (/48) four times as many sandboxes together', async () => {
    const trustProxy = ['127.0.0.1'];
    await using service = await startTestService({ sandboxes: 100, sandboxesPerAddress: 2, trustProxy });
    const from = (address: string) => create(service.client, { 'X-Forwarded-For': address });
    assert.equal((await from('2001:db8:4::1')).status, 201);
    assert.equal((await from('2001:db8:4::2')).status, 201);
    const full = await from('2001:db8:4::3');
    assert.match(full.text, /"Your address already has 2 sandboxes/);
    const others = await Promise.all(Array.from({ length: 20 }, (_, i) => from(`2001:db8:4:${i + 1}::1`)));
    assert.deepEqual([count(others, 201), count(others, 429)], [6, 14]);
    const refused = others.find(({ status }) => status === 429) as ClientResponse;
    assert.match(refused.text, /"The \/48 network of your address already has 8 sandboxes, the maximum/);
    for (const other of ['2001:db8:5::1', '2001:db8:40::1', '192.0.2.1']) assert.equal((await from(other)).status, 201);
  });

  test('ignore X-Forwarded-For from a proxy that is not trusted', async () => {
    await using service = await startTestService({ sandboxes: 10, sandboxesPerAddress: 1 });
    assert.equal((await create(service.client, { 'X-Forwarded-For': '192.0.2.1' })).status, 201);
    assert.equal((await create(service.client, { 'X-Forwarded-For': '192.0.2.2' })).status, 429);
  });

  test('name a time after which the sweeper has surely deleted one', async () => {
    const sandboxTimes = { fresh: 20, sweep: 1_000, grace: 10_000 };
    const now = Date.now();
    await using service = await startTestService({
      sandboxes: 10,
      sandboxesPerAddress: 1,
      sandboxTimes,
      now: () => now,
      trustProxy: ['127.0.0.1'],
    });
    const again = () => create(service.client, { 'X-Forwarded-For': '192.0.2.1' });
    assert.equal((await again()).status, 201);
    const refused = await again();
    assert.deepEqual([errorOf(refused), refused.headers['retry-after']], [42901, '3612']);
    assert.match(refused.text, /and wait 12 s, or wait 3612 s/);
  });

  test('count a deleted sandbox until its plants are deleted, and Retry-After is the time until then', async () => {
    let now = Date.now();
    const sandboxTimes = { fresh: 20, sweep: 20, grace: 5_000 };
    await using service = await startTestService({
      sandboxes: 10,
      sandboxesPerAddress: 1,
      sandboxTimes,
      now: () => now,
      trustProxy: ['127.0.0.1'],
    });
    const made = (await create(service.client, { 'X-Forwarded-For': '192.0.2.1' })).json() as { token: string };
    const sandbox = createClient(service.client.url, made.token);
    const again = () => create(service.client, { 'X-Forwarded-For': '192.0.2.1' });
    const refused = await again();
    // An hour, if nobody deletes it, and the time to sweep.
    assert.deepEqual([errorOf(refused), refused.headers['retry-after']], [42901, '3606']);
    assert.match(refused.text, /\(DELETE \/sandbox\) and wait 6 s, or wait 3606 s until one has expired\./);
    assert.equal((await sandbox.send('DELETE', '/sandbox')).status, 204);
    const afterDelete = await again();
    assert.deepEqual([errorOf(afterDelete), afterDelete.headers['retry-after']], [42901, '6']);
    assert.equal((await create(service.client, { 'X-Forwarded-For': '192.0.2.2' })).status, 201);
    now += 6_000;
    await waitUntil(async () => (await again()).status === 201);
    sandbox.close();
  });

  test('are named in the message, with advice', async () => {
    for (const [sandboxes, sandboxesPerAddress, message] of [
      [10, 1, /"Your address already has 1 sandbox, the maximum\. Delete one of yours \(DELETE \/sandbox\) and wait/],
      [2, 10, /"The service already has 2 sandboxes, the maximum\. Delete one of yours \(DELETE \/sandbox\) and wait/],
    ] as const) {
      await using service = await startTestService({ sandboxes, sandboxesPerAddress });
      const responses = [await create(service.client), await create(service.client), await create(service.client)];
      assert.match(responses.at(-1)?.text ?? '', message);
    }
  });
});

test('without --sandboxes there are no sandboxes', async () => {
  await using service = await startTestService();
  for (const [method, target] of [
    ['POST', '/sandboxes'],
    ['GET', '/sandbox'],
    ['GET', '/sandbox/openapi.json'],
  ]) {
    // The harness's client would check these responses against sandbox.yaml.
    const response = await fetch(service.client.url + target, { method: method ?? '' });
    assert.deepEqual([response.status, ((await response.json()) as { error: number }).error], [404, 40400]);
  }
  const { headers } = await service.client.send('GET', '/plants', { headers: { Prefer: 'code=503', Fault: '?' } });
  assert.doesNotMatch(String(headers['access-control-expose-headers']), /Preference/);
});
