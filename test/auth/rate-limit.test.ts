import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRateLimiter, MOST_KEYS } from '../../src/auth/rate-limit.ts';
import type { ClientResponse } from '../harness/client.ts';
import { startTestService } from '../harness/service.ts';
import { AUDIENCE, startIssuer } from './issuer.ts';

/** A window that is longer than every test. */
const LIMIT = { quota: 3, window: 3_600 };
const POLICY = '"default";q=3;w=3600';

function left(response: ClientResponse): number {
  assert.equal(response.headers['ratelimit-policy'], POLICY);
  const found = /^"default";r=(\d+);t=(\d+)$/.exec(String(response.headers['ratelimit']));
  assert.ok(found, String(response.headers['ratelimit']));
  assert.ok(Number(found[2]) > 0 && Number(found[2]) <= 3_600);
  return Number(found[1]);
}

test('a credential that used up its limit gets 429 / 42900 with the time to wait, and others do not', async () => {
  await using service = await startTestService({ rateLimit: LIMIT });
  const other = await service.as({});
  for (const wanted of [2, 1, 0]) {
    const response = await service.client.send('GET', '/plants');
    assert.equal(response.status, 200);
    assert.equal(left(response), wanted);
  }
  const refused = await service.client.send('GET', '/plants');
  assert.equal(refused.status, 429);
  assert.equal((refused.json() as { error: number }).error, 42900);
  assert.equal(left(refused), 0);
  const seconds = Number(refused.headers['retry-after']);
  assert.ok(seconds > 3_590 && seconds <= 3_600);
  assert.equal(left(await other.send('GET', '/plants')), 2);
});

test('once the limit was counted, a response has the RateLimit fields at any status', async () => {
  await using service = await startTestService({ rateLimit: { quota: 1_000, window: 3_600 } });
  const { client } = service;
  const calls = [
    ['POST', '/plants', 200, { id: 1, name: 'Aloe' }],
    ['POST', '/plants', 400, { id: 1, name: 'Agave' }],
    ['POST', '/plants', 400, {}],
    ['GET', '/plants?limit=0', 400, undefined],
    ['GET', '/plants/1', 200, undefined],
    ['HEAD', '/plants/1', 200, undefined],
    ['GET', '/plants/2', 404, undefined],
    ['DELETE', '/plants/1', 204, undefined],
  ] as const;
  let remaining = 1_000;
  for (const [method, target, status, body] of calls) {
    const response = await client.send(method, target, { body });
    assert.equal(response.status, status);
    remaining -= 1;
    assert.match(String(response.headers['ratelimit']), new RegExp(`^"default";r=${remaining};t=\\d+$`), method);
    assert.equal(response.headers['ratelimit-policy'], '"default";q=1000;w=3600');
  }
});

test('the limit is checked after credential and scope, and before parameters and body', async () => {
  await using service = await startTestService({ rateLimit: LIMIT });
  const reader = await service.as({ scopes: ['plants:read'] });
  for (const call of [
    { method: 'GET', target: '/plants', token: null, status: 401 },
    { method: 'GET', target: '/plants', token: 'x', status: 401 },
    { method: 'DELETE', target: '/plants/1', token: reader.token, status: 403 },
  ]) {
    const response = await reader.send(call.method, call.target, { token: call.token });
    assert.equal(response.status, call.status);
    assert.equal(response.headers['ratelimit'], undefined);
    assert.equal(response.headers['ratelimit-policy'], undefined);
  }
  for (const wanted of [2, 1, 0]) assert.equal(left(await reader.send('GET', '/plants/x')), wanted);
  assert.equal((await reader.send('GET', '/plants/x')).status, 429);
});

test('a refused write stores nothing, and without a limit no response has the fields', async () => {
  await using service = await startTestService({ rateLimit: { quota: 1, window: 3_600 } });
  await service.client.send('GET', '/plants');
  assert.equal((await service.client.send('POST', '/plants', { body: { id: 1, name: 'Aloe' } })).status, 429);
  assert.deepEqual(await service.engine.plants.list('default', { limit: 1 }), []);
  await using unlimited = await startTestService();
  const { headers } = await unlimited.client.send('GET', '/plants');
  for (const name of ['ratelimit', 'ratelimit-policy']) assert.equal(headers[name], undefined);
});

test('after the end of a window the credential has its whole limit again', async () => {
  await using service = await startTestService({ rateLimit: { quota: 1, window: 1 } });
  const { client } = service;
  let refused = await client.send('GET', '/plants');
  while (refused.status !== 429) refused = await client.send('GET', '/plants');
  await sleep(Number(refused.headers['retry-after']) * 1_000);
  assert.equal((await client.send('GET', '/plants')).status, 200);
});

for (const [title, later] of [
  ['a clock that is set forward makes no window shorter', 3_600_000],
  ['a clock that is set back makes no client wait longer than a window', -3_600_000],
] as const) {
  test(title, async (t) => {
    await using service = await startTestService({ rateLimit: { quota: 1, window: 60 } });
    let time = Date.now();
    t.mock.method(Date, 'now', () => time);
    await service.client.send('GET', '/plants');
    time += later;
    const refused = await service.client.send('GET', '/plants');
    assert.equal(refused.status, 429);
    assert.equal(refused.headers['retry-after'], '60');
    assert.equal(refused.headers['ratelimit'], '"default";r=0;t=60');
  });
}

test('the seconds to wait are rounded up, so that a client that waits them is not too early', async () => {
  const { take } = createRateLimiter({ quota: 1, window: 60 });
  const began = performance.now();
  take('key');
  await sleep(600);
  const { isOver, seconds } = take('key');
  const left = 60 - (performance.now() - began) / 1_000;
  assert.ok(isOver && seconds <= 60);
  assert.ok(seconds >= left, `${seconds} s of ${left} s`);
});

test('all JWTs of one holder share one limit', async () => {
  await using issuer = await startIssuer();
  await using service = await startTestService({
    rateLimit: LIMIT,
    jwtIssuer: issuer.url,
    jwtAudience: AUDIENCE,
  });
  const status = async (claims: Record<string, unknown>) =>
    (await service.client.send('GET', '/plants', { token: await issuer.sign(claims) })).status;
  for (const jti of ['1', '2', '3']) assert.equal(await status({ sub: 'anna', jti }), 200);
  assert.equal(await status({ sub: 'anna', jti: '4' }), 429);
  assert.equal(await status({ sub: 'bert', jti: '5' }), 200);
  assert.equal(await status({ sub: 'anna', client_id: 'watering can' }), 200);
  assert.equal(await status({ sub: 'anna', store: 'other' }), 200);
});

test('a JWT without a holder has one limit for every spelling of its signature', async () => {
  await using issuer = await startIssuer();
  await using service = await startTestService({ rateLimit: LIMIT, jwtIssuer: issuer.url, jwtAudience: AUDIENCE });
  const token = await issuer.sign({ sub: undefined });
  const statuses: number[] = [];
  for (const spelled of spellingsOf(token)) {
    statuses.push((await service.client.send('GET', '/plants', { token: spelled })).status);
  }
  assert.deepEqual(statuses, [200, 200, 200, 429, 429, 429, 429, 429]);
});

/**
 * Returns other spellings. A P-256 signature is valid with s and -s modulo n. base64url has spare bits in its last
 * character.
 */
function spellingsOf(token: string): string[] {
  const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
  const [signed, signature = ''] = token.split(/\.(?=[^.]*$)/);
  const bytes = Buffer.from(signature, 'base64url');
  const s = order - BigInt(`0x${bytes.toString('hex', 32)}`);
  const other = Buffer.concat([bytes.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, '0'), 'hex')]);
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return [signature, other.toString('base64url')].flatMap((text) => {
    const last = digits.indexOf(text.slice(-1));
    return [0, 1, 2, 3].map((bits) => `${signed}.${text.slice(0, -1)}${digits[last + bits]}`);
  });
}

test('a limit forgets the key that was idle for the longest time, so that many keys take bounded memory', () => {
  const { take } = createRateLimiter(LIMIT);
  const leftOf = (key: string) => {
    const { remaining, seconds } = take(key);
    assert.ok(seconds <= LIMIT.window, `${seconds} s`);
    return remaining;
  };
  assert.equal(leftOf('idle'), 2);
  assert.equal(leftOf('busy'), 2);
  for (let i = 0; i < MOST_KEYS - 1; i++) {
    if (i === MOST_KEYS / 2) assert.equal(leftOf('busy'), 1);
    assert.equal(leftOf(`other ${i}`), 2);
  }
  assert.equal(leftOf('busy'), 0);
  assert.equal(leftOf('idle'), 2);
});
