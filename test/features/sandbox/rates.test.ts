/** The limits on how often an address may create and control sandboxes. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Client, type ClientResponse, createClient, errorOf } from '../../harness/client.ts';
import { DEFAULTS, startTestService } from '../../harness/service.ts';
import { makeSandbox } from './sandbox.ts';

/** A window that is longer than every test. */
const RATE = { quota: 3, window: 3_600 };
const PROXIED = { sandboxes: 1_000, trustProxy: ['127.0.0.1'] };

const createFrom = (client: Client, address: string, body: unknown = {}) =>
  client.send('POST', '/sandboxes', { token: null, body, headers: { 'X-Forwarded-For': address } });

function requireRefused(response: ClientResponse, message: RegExp): void {
  assert.equal(errorOf(response), 42902);
  assert.match(response.text, message);
  const seconds = Number(response.headers['retry-after']);
  assert.ok(seconds > 3_000 && seconds <= 3_600, `Retry-After: ${seconds}`);
  assert.match(response.text, new RegExp(`retry after ${seconds} s`));
}

describe('an address that created many sandboxes in a short time', () => {
  test('gets 429 / 42902 with the time to wait, and other addresses do not', async () => {
    await using service = await startTestService({ ...PROXIED, sandboxCreateRate: RATE });
    for (let i = 0; i < 3; i++) assert.equal((await createFrom(service.client, '192.0.2.1')).status, 201);
    const refused = await createFrom(service.client, '192.0.2.1');
    requireRefused(refused, /Your address may create 3 sandboxes in 3600 s/);
    assert.equal((await createFrom(service.client, '192.0.2.2')).status, 201);
  });

  test('is refused before the body is read, and a wrong body counts', async () => {
    await using service = await startTestService({ ...PROXIED, sandboxCreateRate: RATE });
    const wrong = { plants: 1 };
    for (let i = 0; i < 3; i++) assert.equal(errorOf(await createFrom(service.client, '192.0.2.1', wrong)), 40005);
    assert.equal(errorOf(await createFrom(service.client, '192.0.2.1', wrong)), 42902);
  });

  test('can still use its sandboxes', async () => {
    await using service = await startTestService({ sandboxes: 10, sandboxCreateRate: { quota: 1, window: 3_600 } });
    const { token } = await makeSandbox(service.client);
    assert.equal(errorOf(await service.client.send('POST', '/sandboxes', { token: null, body: {} })), 42902);
    for (const path of ['/sandbox', '/plants']) {
      assert.equal((await service.client.send('GET', path, { token })).status, 200);
    }
  });
});

test('the defaults suffice for two classes of thirty behind one address', async () => {
  const { sandboxesPerAddress, sandboxCreateRate, sandboxControlRate } = DEFAULTS;
  await using service = await startTestService({
    sandboxes: 1_000,
    sandboxesPerAddress,
    sandboxCreateRate,
    sandboxControlRate,
  });
  for (const _lesson of ['in the morning', 'in the afternoon']) {
    const made = await Promise.all(Array.from({ length: 30 }, () => makeSandbox(service.client)));
    for (const { token } of made) {
      assert.equal(
        (await service.client.send('POST', '/plants', { token, body: { id: 1, name: 'Aloe' } })).status,
        200,
      );
    }
  }
});

test('the networks of a /48 may together create four times as many sandboxes as one network', async () => {
  await using service = await startTestService({ ...PROXIED, sandboxCreateRate: RATE });
  const { client } = service;
  for (let i = 0; i < 3; i++) assert.equal((await createFrom(client, '2001:db8:0:1::1')).status, 201);
  // Refused requests of one network use up nothing of the others.
  for (let i = 0; i < 20; i++) requireRefused(await createFrom(client, '2001:db8:0:1::2'), /Your address may/);
  for (let i = 2; i < 11; i++) assert.equal((await createFrom(client, `2001:db8:0:${i}::1`)).status, 201);
  requireRefused(
    await createFrom(client, '2001:db8:0:99::1'),
    /The \/48 network of your address may create 12 sandboxes/,
  );
  assert.equal((await createFrom(client, '2001:db8:1::1')).status, 201);
});

test('an address that controlled its sandboxes too often gets 429 / 42902, and its plants stay in reach', async () => {
  await using service = await startTestService({ ...PROXIED, sandboxControlRate: RATE });
  const { client } = service;
  const tokens = [(await makeSandbox(client)).token, (await makeSandbox(client)).token];
  const send = (method: string, path: string, token: string | undefined, from = '192.0.2.1') =>
    client.send(method, path, { ...(token !== undefined && { token }), headers: { 'X-Forwarded-For': from } });
  // Only the requests of a sandbox count: a stranger cannot use up the rate of a class behind one address.
  for (let i = 0; i < 5; i++) assert.equal(errorOf(await send('GET', '/sandbox', undefined)), 40300);
  assert.equal((await send('GET', '/sandbox', tokens[0])).status, 200);
  assert.equal((await send('POST', '/sandbox/reset', tokens[1])).status, 204);
  assert.equal((await send('GET', '/sandbox/requests', tokens[0])).status, 200);
  for (const token of tokens) {
    requireRefused(await send('GET', '/sandbox', token), /Your address may send 3 requests to \/sandbox in 3600 s/);
    assert.equal((await send('GET', '/plants', token)).status, 200);
  }
  assert.equal((await send('GET', '/sandbox', tokens[0], '192.0.2.2')).status, 200);
});

test('the rate limit of the token is checked before the limit of the address', async () => {
  await using service = await startTestService({ sandboxes: 10, sandboxControlRate: RATE, rateLimit: RATE });
  const { token } = await makeSandbox(service.client);
  const sandbox = createClient(service.client.url, token);
  for (const left of [2, 1, 0]) {
    assert.match(String((await sandbox.send('GET', '/sandbox')).headers['ratelimit']), new RegExp(`r=${left}`));
  }
  assert.equal(errorOf(await sandbox.send('GET', '/sandbox')), 42900);
  sandbox.close();
});
