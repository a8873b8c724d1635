import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { makeSandbox, QUICK, waitUntil } from '../features/sandbox/sandbox.ts';
import { errorOf } from '../harness/client.ts';
import { startTestService, type TestOptions } from '../harness/service.ts';
import { exchange } from '../http/raw-client.ts';

/** Starts a service with an admin address. For `await using`. */
async function startCounted(options: TestOptions = {}) {
  const service = await startTestService({ admin: { host: '127.0.0.1', port: 0 }, ...options });
  const admin = `http://127.0.0.1:${service.running.admin?.port}`;
  return {
    service,
    client: service.client,
    admin,
    text: async () => (await fetch(`${admin}/metrics`)).text(),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

/** Returns the sum of the series that match. */
function sum(text: string, series: RegExp): number {
  const lines = text.split('\n').filter((line) => series.test(line));
  return lines.reduce((total, line) => total + Number(line.slice(line.lastIndexOf(' '))), 0);
}

test('metrics count a known load exactly', async () => {
  await using counted = await startCounted();
  const { client, admin } = counted;
  const reader = (await counted.service.as({ scopes: ['plants:read'] })).token;
  const times = (count: number, act: (i: number) => Promise<unknown>) =>
    Promise.all(Array.from({ length: count }, (_, i) => act(i)));
  // On SQLite a new token is a write of a commit too.
  const before = sum(await (await fetch(`${admin}/metrics`)).text(), /^plantstore_commit_batch_writes_sum/);
  const began = performance.now();
  await times(300, (id) => client.send('POST', '/plants', { body: { id, name: 'Aloe' } }));
  await times(20, (id) => client.send('POST', '/plants', { body: { id, name: 'another' } }));
  await times(10, (id) => client.send('PUT', `/plants/${id}`, { body: { name: 'Fern' } }));
  await times(6, (id) => client.send('DELETE', `/plants/${200 + id}`));
  await times(50, (id) => client.send('GET', `/plants/${id}`));
  await times(5, () => client.send('HEAD', '/plants'));
  await times(7, () => client.send('GET', '/plants/1', { token: null }));
  await times(3, () => client.send('GET', '/plants/1', { token: 'pst_nonsense' }));
  await times(8, (id) => client.send('DELETE', `/plants/${id}`, { token: reader }));
  await times(9, (id) => client.send('GET', `/plants/${id}`, { token: reader }));
  await times(2, () => client.send('GET', '/nowhere'));
  await times(4, () => client.send('PATCH', '/plants'));
  const seconds = (performance.now() - began) / 1_000;
  const response = await fetch(`${admin}/metrics`);
  assert.equal(response.status, 200);
  assert.match(response.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
  const text = await response.text();
  const requests = (operation: string, status: number) =>
    sum(text, new RegExp(`^plantstore_requests_total\\{operation="${operation}",status="${status}"\\}`));
  assert.equal(requests('createPlant', 200), 300);
  assert.equal(requests('createPlant', 400), 20);
  assert.equal(requests('replacePlant', 200), 10);
  assert.equal(requests('deletePlant', 204), 6);
  assert.equal(requests('deletePlant', 403), 8);
  assert.equal(requests('getPlant', 200), 59);
  assert.equal(requests('getPlant', 401), 10);
  assert.equal(requests('listPlants', 200), 5);
  assert.equal(requests('none', 404), 2);
  assert.equal(requests('none', 405), 4);
  assert.equal(sum(text, /^plantstore_requests_total/), 424);
  assert.equal(sum(text, /^plantstore_request_duration_seconds_count/), 424);
  const credentials = (outcome: string) =>
    sum(text, new RegExp(`^plantstore_credentials_total\\{outcome="${outcome}"`));
  assert.deepEqual(['accepted', 'absent', 'invalid', 'scope_missing'].map(credentials), [400, 7, 3, 8]);
  // Each write is counted in one commit, also a create whose id is taken.
  assert.equal(sum(text, /^plantstore_commit_batch_writes_sum/) - before, 336);
  assert.equal(
    sum(text, /^plantstore_commit_batch_writes_count/),
    sum(text, /^plantstore_commit_duration_seconds_count/),
  );
  // At most 10 commits are in progress at the same time, one for each connection to PostgreSQL.
  const committing = sum(text, /^plantstore_commit_duration_seconds_sum/);
  assert.ok(committing > 0 && committing < 10 * seconds, `${committing} s of ${seconds} s`);
  assert.equal(sum(text, /^plantstore_commit_queue_writes /), 0);
  assert.equal(sum(text, /^plantstore_store_errors_total/), 0);
  assert.ok(sum(text, /^process_resident_memory_bytes /) > 0);
  assert.equal((await fetch(`${admin}/readyz`)).status, 200);
  assert.equal((await fetch(`${admin}/elsewhere`)).status, 404);
  assert.equal((await fetch(`${admin}/metrics`, { method: 'POST' })).status, 405);
  // The address for clients does not serve the metrics.
  assert.equal((await client.send('GET', '/metrics')).status, 404);
});

test('a request with malformed framing of its body is counted and logged under its id', async () => {
  await using counted = await startCounted({ accessLog: true });
  const fields = `Host: x\r\nAuthorization: Bearer ${counted.client.token}\r\nX-Request-Id: unframed\r\n`;
  const request = `POST /plants HTTP/1.1\r\n${fields}Transfer-Encoding: chunked\r\n\r\nno size\r\n`;
  const { responses } = await exchange(Number(new URL(counted.client.url).port), [request], 1);
  assert.deepEqual([responses[0]?.status, responses[0]?.headers['x-request-id']], [400, 'unframed']);
  const text = await counted.text();
  assert.match(text, /^plantstore_requests_total\{operation="createPlant",status="400"\} 1$/m);
  assert.equal(sum(text, /^plantstore_request_duration_seconds_count\{operation="createPlant"\}/), 1);
  assert.match(counted.service.log(), /"requestId":"unframed","method":"POST","path":"\/plants","status":400/);
});

test('requests that the connection refuses are counted under no operation and logged, without a secret', async () => {
  await using counted = await startCounted({ accessLog: true });
  const port = Number(new URL(counted.client.url).port);
  const refused = [
    'GET /healthz HTTP/9.9\r\n\r\n',
    'BREW /plants HTTP/1.1\r\n\r\n',
    'CONNECT user:secret@localhost:80 HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: tunnel\r\n\r\n',
  ];
  for (const request of refused) await exchange(port, [request], Number.POSITIVE_INFINITY);
  const text = await counted.text();
  assert.match(text, /^plantstore_requests_total\{operation="none",status="400"\} 1$/m);
  assert.match(text, /^plantstore_requests_total\{operation="none",status="405"\} 2$/m);
  const log = counted.service.log();
  assert.match(log, /"requestId":"[^"]+","status":400,.*"from":"127.0.0.1","error":40006,/);
  assert.match(log, /"requestId":"tunnel","method":"CONNECT","status":405,/);
  assert.doesNotMatch(log, /secret/);
});

test('the counters that alerts use are 0 before the first event', async () => {
  await using counted = await startCounted();
  const text = await counted.text();
  const rules = readFileSync(new URL('../../deploy/prometheus/alerts.yaml', import.meta.url), 'utf8');
  const sought = [...rules.matchAll(/\b(?:increase|rate)\((\w+)\{(\w+="\w+")\}/g)];
  assert.ok(sought.length > 3);
  // Prometheus computes an increase from two values. A counter that first appears with 1 has no increase.
  for (const [, name, label] of sought) assert.match(text, new RegExp(`^${name}\\{.*\\b${label}.*\\} 0$`, 'm'));
});

test('plantstore_store_errors_total counts the requests that the store could not serve', async () => {
  await using counted = await startCounted({ maxQueue: 1 });
  const { client } = counted;
  const bodies = Array.from({ length: 100 }, (_, id) => ({ id, name: 'Aloe' }));
  const responses = await Promise.all(bodies.map((body) => client.send('POST', '/plants', { body })));
  const overloaded = responses.filter(({ status }) => status === 503).length;
  assert.ok(overloaded > 0);
  const text = await counted.text();
  assert.equal(sum(text, /^plantstore_store_errors_total\{reason="overloaded"\}/), overloaded);
  assert.equal(sum(text, /^plantstore_store_errors_total/), overloaded);
});

test('an unreachable issuer is logged under the request id, and is not counted as a store error', async () => {
  // The port was free a moment ago, so nothing responds there.
  const free = createServer().listen(0, '127.0.0.1');
  await once(free, 'listening');
  const jwtIssuer = `http://127.0.0.1:${(free.address() as AddressInfo).port}`;
  await new Promise((resolve) => free.close(resolve));
  await using counted = await startCounted({ jwtIssuer, jwtAudience: 'plants' });
  const { client, service } = counted;
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const token = `${part({ alg: 'ES256', typ: 'at+jwt' })}.${part({})}.AAAA`;
  const times = 30;
  for (let i = 0; i < times; i++) {
    const response = await client.send('GET', '/plants', { token, headers: { 'X-Request-Id': `unverified-${i}` } });
    assert.equal(errorOf(response), 50300);
  }
  const text = await counted.text();
  assert.equal(sum(text, /^plantstore_credentials_total\{outcome="unverified"\}/), times);
  assert.equal(sum(text, /^plantstore_store_errors_total/), 0);
  // Strangers can cause these lines, so their number is limited.
  const lines = service.log().match(/"requestId":"unverified-\d+".*its issuer cannot be reached/g) ?? [];
  assert.equal(lines.length, 10);
  assert.ok(!service.log().includes(token));
});

test('metrics count live, created, refused and removed sandboxes, and the requests that faults delay', async () => {
  await using counted = await startCounted({ sandboxes: 2, sandboxTimes: QUICK });
  const { client } = counted;
  const made = [await makeSandbox(client), await makeSandbox(client)];
  assert.equal(errorOf(await client.send('POST', '/sandboxes', { token: null, body: {} })), 42901);
  const values = async () => {
    const text = await counted.text();
    return ['live', 'created_total', 'refused_total', 'expired_total', 'faults_waiting'].map((name) =>
      sum(text, new RegExp(`^plantstore_sandboxes_${name} `)),
    );
  };
  assert.deepEqual(await values(), [2, 2, 1, 0, 0]);
  const token = made[0]?.token ?? '';
  const waiting = client.send('GET', '/plants', { token, headers: { Fault: 'delay;ms=300' } });
  await waitUntil(async () => (await values())[4] === 1);
  await waiting;
  await client.send('DELETE', '/sandbox', { token });
  await waitUntil(async () => (await values())[3] === 1);
  assert.deepEqual(await values(), [1, 2, 1, 1, 0]);
});

test('an error that a client asked for is not counted or logged as an error of the service', async () => {
  await using counted = await startCounted({ sandboxes: 2, sandboxTimes: QUICK });
  const { client } = counted;
  const { token } = await makeSandbox(client);
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  // With `fetch`, since the harness's client refuses every 500.
  const create = (Fault: string) =>
    fetch(`${client.url}/plants`, { method: 'POST', headers: { ...headers, Fault }, body: '{"id":1,"name":"Fern"}' });
  for (const status of [400, 401, 403, 429, 500, 503]) {
    assert.equal((await create(`status;status=${status}`)).status, status);
    assert.equal((await create(`status;status=${status};when=afterCommit`)).status, status);
    assert.equal((await create(`proxy;status=${status}`)).status, status);
  }
  const values = (text: string) =>
    [
      /^plantstore_sandboxes_faults_total /,
      /^plantstore_requests_total\{operation="createPlant"/,
      /^plantstore_request_duration_seconds_count\{operation="createPlant"/,
      /^plantstore_credentials_total\{outcome="(?!accepted)/,
      /^plantstore_store_errors_total/,
    ].map((series) => sum(text, series));
  assert.deepEqual(values(await counted.text()), [18, 0, 0, 0, 0]);
  assert.doesNotMatch(counted.service.log(), /credential was refused|could not serve|"level":[56]0/);
  // The same errors count if nobody asked for them.
  assert.equal((await client.send('POST', '/plants', { token, body: {} })).status, 400);
  assert.equal((await client.send('POST', '/plants', { token: `${token}x`, body: {} })).status, 401);
  assert.deepEqual(values(await counted.text()), [18, 2, 2, 1, 0]);
  assert.match(counted.service.log(), /credential was refused/);
});
