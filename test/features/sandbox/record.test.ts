/** The record of requests: what it leaves out, how much it keeps, and requests that are refused early. */
import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { connect, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { generateToken } from '../../../src/auth/token.ts';
import { createRecorder, type Recorder } from '../../../src/features/sandbox/record/recorder.ts';
import { SandboxCredential } from '../../../src/features/sandbox/sandbox-credential.ts';
import { Exchange } from '../../../src/http/exchange.ts';
import { type Client, createClient } from '../../harness/client.ts';
import { startTestService } from '../../harness/service.ts';
import { enterSandbox, makeSandbox, QUICK, waitUntil } from './sandbox.ts';

interface Received {
  readonly number: number;
  readonly connection: number;
  readonly place: number;
  readonly fault?: string;
  readonly target: string;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly body?: string;
  readonly milliseconds: number;
  readonly status?: number;
  readonly error?: number;
  readonly response?: string;
}

const list = async (client: Client) => (await client.send('GET', '/sandbox/requests')).json() as readonly Received[];

/** Sends a request to create a plant on a connection of its own. */
function post({ url, token }: Client, id: number, fault: string): Socket {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' });
  const body = JSON.stringify({ id, name: 'Fern' });
  const fields = `Host: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nFault: ${fault}`;
  socket.on('error', () => undefined);
  socket.write(`POST /plants HTTP/1.1\r\n${fields}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  return socket;
}

test('the record of requests contains the whole time of a request, also if it waited for an event', async () => {
  await using service = await startTestService({ sandboxes: 1, events: true });
  const client = await enterSandbox(service);
  const { headers } = await client.send('GET', '/events');
  const next = /^<(.+)>; rel="next"$/.exec(String(headers['link']))?.[1] ?? '';
  assert.equal((await client.send('GET', `${next}&wait=1`)).text, '[]');
  const requests = await list(client);
  assert.ok((requests.at(-1)?.milliseconds ?? 0) >= 900, JSON.stringify(requests));
  client.close();
});

describe('the record of requests', async () => {
  const service = await startTestService({ sandboxes: 1_000, sandboxTimes: QUICK });
  after(() => service[Symbol.asyncDispose]());
  const { url } = service.client;

  test('shows no credentials, whatever header field they are in', async () => {
    const { token } = await makeSandbox(service.client);
    const client = createClient(url, token);
    const secrets = {
      Cookie: 'session=hush',
      'Proxy-Authorization': 'Basic aHVzaA==',
    };
    for (const Authorization of [`bearer ${token}`, `BEARER   ${token}`]) {
      await client.send('GET', '/plants', { token: null, headers: { Authorization, ...secrets } });
    }
    // Two Authorization fields: the service refuses the request, since either field could be meant.
    const twice = await fetch(`${url}/plants`, {
      headers: [
        ['Authorization', `Bearer ${token}`],
        ['authorization', 'Bearer hush'],
      ],
    });
    assert.equal(twice.status, 401);
    assert.equal((await list(client)).length, 2);
    const text = JSON.stringify(await list(client));
    assert.doesNotMatch(text, /hush|aHVzaA/);
    assert.ok(!text.includes(token));
    assert.match(text, /"Proxy-Authorization","value":"Basic …"/);
    client.close();
  });

  test('shows up to 4 KiB of a body, even if it is not UTF-8', async () => {
    const client = await enterSandbox(service);
    const name = `a${'ä'.repeat(3_000)}`;
    await client.send('POST', '/plants', { body: { id: 1, name } });
    await client.send('POST', '/plants', { body: Buffer.from([0x22, 0xff, 0xfe, 0x22]) });
    const [long, bad] = await list(client);
    // The next character would end in byte 4,097.
    assert.equal(long?.body, `{"id":1,"name":"a${'ä'.repeat(2_039)}`);
    assert.equal(bad?.body, '"\ufffd\ufffd"');
    client.close();
  });

  test('shows the body of a request that is refused for its Content-Type, which curl -d sends by default', async () => {
    const client = await enterSandbox(service);
    const body = '{"id":1,"name":"Fern"}';
    for (const headers of [
      { 'Content-Type': 'application/x-www-form-urlencoded' },
      { 'Content-Type': undefined },
      { 'Content-Encoding': 'br' },
    ]) {
      await client.send('POST', '/plants', { body, headers });
      const last = (await list(client)).at(-1);
      assert.deepEqual([last?.error, last?.body], [40002, body]);
    }
    client.close();
  });

  test('leaves out requests to /sandbox, requests to unknown paths, and requests with other tokens', async () => {
    const client = await enterSandbox(service);
    await client.send('GET', '/plant');
    await client.send('PATCH', '/plants');
    await client.send('PUT', '/sandbox/faults', { body: [] });
    await service.client.send('GET', '/plants');
    await client.send('GET', '/plants', { token: 'pss_unknown' });
    assert.deepEqual(await list(client), []);
    client.close();
  });

  test('marks a lost response, and GET /sandbox/plants shows the plant that the request stored', async () => {
    const client = await enterSandbox(service);
    const id = 2n ** 63n - 1n;
    await client.send('PUT', '/sandbox/faults', {
      body: [
        { fault: { kind: 'reset' }, when: 'afterCommit', match: { operation: 'createPlant' } },
        { fault: { kind: 'status', status: 503 } },
      ],
    });
    await assert.rejects(client.send('POST', '/plants', { body: `{"id":${id},"name":"Aloe vera"}` }));
    assert.equal((await client.send('GET', '/plants')).status, 503);
    const plants = await client.send('GET', '/sandbox/plants');
    assert.deepEqual([plants.status, plants.text], [200, `[{"id":${id},"name":"Aloe vera"}]`]);
    assert.deepEqual(
      (await list(client)).map(({ status, response }) => [status, response]),
      [
        [200, 'lost'],
        [503, undefined],
      ],
    );
    client.close();
  });

  test('shows a request in progress, and keeps its number when its response comes', async () => {
    const client = await enterSandbox(service);
    const waiting = post(client, 1, 'delay;ms=30000');
    const states = async () => (await list(client)).map(({ number, status, response }) => [number, status, response]);
    await waitUntil(async () => (await list(client)).length === 1);
    await client.send('GET', '/plants');
    assert.deepEqual(await states(), [
      [1, undefined, 'pending'],
      [2, 200, undefined],
    ]);
    await waitUntil(async () => (await list(client))[0]?.body !== undefined);
    assert.deepEqual((await list(client)).map(({ fault, body }) => [fault, body])[0], [
      'delay',
      '{"id":1,"name":"Fern"}',
    ]);
    waiting.end();
    await waitUntil(async () => (await list(client))[0]?.status === 503);
    assert.deepEqual(await states(), [
      [1, 503, undefined],
      [2, 200, undefined],
    ]);
    client.close();
  });

  test('marks a request whose client left, and shows whether it was carried out', async () => {
    const client = await enterSandbox(service);
    const isPending = async () => (await list(client)).at(-1)?.response === 'pending';
    for (const fault of ['delay;ms=30000', 'delay;ms=2000;leave=continue']) {
      const socket = post(client, 1, fault);
      await waitUntil(isPending);
      socket.resetAndDestroy();
      // A late request is in progress although its client has left.
      await waitUntil(async () => !(await isPending()));
      const { status, response } = (await list(client)).at(-1) ?? {};
      const isLate = fault.includes('continue');
      assert.deepEqual([status, response], [isLate ? 200 : undefined, 'abandoned'], fault);
      assert.equal((await client.send('GET', '/sandbox/plants')).text.includes('Fern'), isLate);
    }
    client.close();
  });

  test('shows which requests came on the same connection, and in which place', async () => {
    const client = await enterSandbox(service);
    const other = createClient(url, client.token);
    for (const one of [client, client, other, client]) await one.send('GET', '/plants');
    const [first, second, foreign, third] = (await list(client)).map(({ connection, place }) => ({
      connection,
      place,
    }));
    assert.ok(first && second && foreign && third);
    assert.deepEqual(
      [second.connection, third.connection, second.place, third.place],
      [first.connection, first.connection, first.place + 1, first.place + 2],
    );
    assert.notEqual(foreign.connection, first.connection);
    assert.equal(foreign.place, 1);
    client.close();
    other.close();
  });

  test('leaves out a request in progress if the record is deleted', async () => {
    const client = await enterSandbox(service);
    const waiting = post(client, 1, 'delay;ms=30000');
    await waitUntil(async () => (await list(client)).length === 1);
    await client.send('DELETE', '/sandbox/requests');
    waiting.resetAndDestroy();
    await client.send('GET', '/plants');
    assert.deepEqual(
      (await list(client)).map(({ number }) => number),
      [2],
    );
    client.close();
  });

  test('keeps the last 100 requests, the oldest first', async () => {
    const client = await enterSandbox(service);
    for (let i = 1; i <= 105; i++) await client.send('GET', `/plants/${i}`);
    assert.deepEqual(
      (await list(client)).map(({ number, target }) => [number, target]),
      Array.from({ length: 100 }, (_, i) => [i + 6, `/plants/${i + 6}`]),
    );
    client.close();
  });

  test('keeps only the newest requests if all are too long together', async () => {
    const client = await enterSandbox(service);
    const long = 'x'.repeat(3_000);
    for (let i = 1; i <= 60; i++) await client.send('GET', `/plants/${i}`, { headers: { 'X-Long': long } });
    const response = await client.send('GET', '/sandbox/requests');
    const requests = response.json() as readonly Received[];
    assert.ok(requests.length > 20 && requests.length < 50, String(requests.length));
    assert.ok(response.text.length <= 131_072, String(response.text.length));
    assert.equal(requests.at(-1)?.target, '/plants/60');
    client.close();
  });

  test('shows 4 KiB of fields', async () => {
    const { token } = await makeSandbox(service.client);
    const client = createClient(url, token);
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    socket.write(`GET /plants HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\n`);
    socket.write(`${`ab:${'c'.repeat(80)}\r\n`.repeat(96)}\r\n`);
    assert.match(await text(socket), /^HTTP\/1.1 200 /);
    const headers = (await list(client))[0]?.headers ?? [];
    assert.ok(headers.length > 30 && JSON.stringify(headers).length <= 4_098, String(headers.length));
    client.close();
  });
});

describe('the record shows no secrets', async () => {
  const service = await startTestService({ sandboxes: 100, sandboxTimes: QUICK });
  after(() => service[Symbol.asyncDispose]());
  const { client: operator } = service;
  const client = await enterSandbox(service);
  const token = generateToken('pss_');
  const jwt = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIxIn0.hush-hush_hush';
  const lastOf = async () => (await list(client)).at(-1);
  after(() => client.close());

  test('in header fields: only names stay, and the scheme of an Authorization field', async () => {
    const secret = [
      ...['Proxy-Authorization', 'Cookie', 'Set-Cookie', 'DPoP', 'X-Api-Key', 'Api-Key', 'X-Goog-Api-Key'],
      ...['X-Auth-Token', 'X-Access-Token', 'X-Amz-Security-Token', 'X-CSRF-Token', 'X-XSRF-TOKEN', 'Private-Token'],
      ...['X-Auth-Key', 'Ocp-Apim-Subscription-Key', 'X-Client-Secret', 'X-Session-Id', 'Signature'],
      ...['X-Hub-Signature-256', 'X-Forwarded-For', 'Forwarded', 'X-Real-IP', 'CF-Connecting-IP', 'True-Client-IP'],
    ];
    const shown = {
      Prefer: 'code=200; hush',
      'Idempotency-Key': 'hush',
      'X-Forwarded-Proto': 'hush',
      'X-Request-Id': 'hush',
      'X-Token-Type': 'hush',
      'Signature-Input': 'hush',
    };
    const headers = { ...Object.fromEntries(secret.map((name) => [name, 'Basic hush'])), ...shown };
    await client.send('GET', '/plants', { headers });
    const fields = new Map((await lastOf())?.headers.map(({ name, value }) => [name, value]));
    for (const name of secret) {
      assert.equal(fields.get(name), name === 'Proxy-Authorization' ? 'Basic …' : '…', name);
    }
    for (const [name, value] of Object.entries(shown)) assert.equal(fields.get(name), value);
    assert.equal(fields.get('Authorization'), 'Bearer …');
  });

  test('in the query, also in the query of a field', async () => {
    const names = ['token', 'access_token', 'api_key', 'apiKey', 'key', 'secret', 'client_secret', 'password', 'code'];
    for (const name of [...names, 'client_assertion', 'X-Amz-Signature', 'sig', 'acc%65ss_token']) {
      const target = `/plants?limit=5&${name}=hush+1&x=token&tokens=3`;
      await client.send('GET', target, { headers: { Referer: `http://localhost${target}` } });
      const request = await lastOf();
      assert.equal(request?.target, `/plants?limit=5&${name}=…&x=token&tokens=3`);
      assert.equal(
        request?.headers.find((field) => field.name === 'Referer')?.value,
        `http://localhost${request.target}`,
      );
    }
  });

  test('in each header field on its own, although all are searched together', async () => {
    await client.send('GET', '/plants', { headers: { 'X-A': '/?a', 'X-B': 'token=b', 'X-C': 'pst_cut', 'X-D': 'c' } });
    const fields = new Map((await lastOf())?.headers.map(({ name, value }) => [name, value]));
    assert.deepEqual(
      ['X-A', 'X-B', 'X-C', 'X-D'].map((name) => fields.get(name)),
      ['/?a', 'token=b', '…', 'c'],
    );
  });

  test('in a body: JSON, even if it is malformed or cut off, or a form', async () => {
    const long = 'x'.repeat(4_076);
    for (const [body, shown] of [
      ['{"id":1,"name":"token"}', '{"id":1,"name":"token"}'],
      ['{"name":"key=1&token=2","tokens":["a"]}', '{"name":"key=1&token=2","tokens":["a"]}'],
      ['{"id":1,"token" : "hu\\"sh","name":"a"}', '{"id":1,"token" : "…","name":"a"}'],
      ['{"clientSecret":12,"a":{"pass_word":null},"b":1}', '{"clientSecret":…,"a":{"pass_word":…},"b":1}'],
      ['[{"api-key":{"hush":["hush",{"a":1}]},"b":2},3]', '[{"api-key":{"…":["…",{"…":…}]},"b":2},3]'],
      ['{"password":"hush', '{"password":"…"'],
      ['{"passw\\u006frd":"hush"}', '{"passw\\u006frd":"…"}'],
      ['{"password":"hush\\', '{"password":"…"'],
      [`{"a":"${long}","secret":"hush"}`, `{"a":"${long}","secret":"…"`],
      [
        'grant_type=password&username=a&password=hush&code=hush&scope=token',
        'grant_type=password&username=a&password=…&code=…&scope=token',
      ],
      ['assertion=hush', 'assertion=…'],
    ]) {
      await client.send('POST', '/plants', { body: Buffer.from(body ?? '') });
      assert.equal((await lastOf())?.body?.slice(-80), shown?.slice(-80));
    }
  });

  test('tokens of this service and JWTs, wherever they are', async () => {
    for (const secret of [token, generateToken(), jwt]) {
      const body = { id: 1, name: `a ${secret} b`, tag: 'pss_demo eyJ' };
      await client.send('POST', `/plants?x=${secret}`, { body, headers: { 'X-Any': `a, ${secret}, b` } });
      const request = await lastOf();
      assert.equal(request?.target, '/plants?x=…');
      assert.equal(request?.body, '{"id":1,"name":"a … b","tag":"pss_demo eyJ"}');
      assert.equal(request?.headers.find(({ name }) => name === 'X-Any')?.value, 'a, …, b');
    }
    // This is no JWT: it differs from the beginning of one in case. Entity tags can look like it.
    await client.send('GET', '/plants/1', { headers: { 'If-None-Match': '"1eyjhbgcioijfuzi1n"' } });
    const tags = (await lastOf())?.headers.find(({ name }) => name === 'If-None-Match');
    assert.equal(tags?.value, '"1eyjhbgcioijfuzi1n"');
    // The end of this token is cut off.
    await client.send('GET', `/plants?${'x'.repeat(2_048 - 8 - 38)}${token}`);
    const { target = '' } = (await lastOf()) ?? {};
    assert.ok(target.endsWith('xx…'), target.slice(-60));
    assert.ok(!JSON.stringify(await list(client)).includes('hush-hush'));
    assert.deepEqual((await operator.send('GET', '/plants')).json(), []);
  });
});

describe('the records have one budget', () => {
  /** Adds a request that takes about 4.5 KiB. */
  const addTo = (recorder: Recorder, id: string) => {
    const rawHeaders = ['X-Long', 'x'.repeat(4_000)];
    const request = Object.assign(new IncomingMessage(new Socket()), { method: 'GET', url: '/plants', rawHeaders });
    const exchange = new Exchange(request, new ServerResponse(request), 'id', AbortSignal.any([]));
    const terms = { address: '', createdAt: 0, expiresAt: 1, hash: 'hash', plants: 'none', store: '~', faults: '' };
    const credential = new SandboxCredential('hash', { ...terms, id, plants: 'none' });
    exchange.credential = credential;
    recorder.begin(credential, exchange);
    recorder.end(exchange, { status: 200, headers: {} });
  };
  const name = (count: number) => Array.from({ length: count }, (_, i) => `sandbox-${i}`);
  const isRecorded = (recorder: Recorder, id: string) => recorder.list(id, 0).length > 0;

  test('beyond it the least recently used record is deleted first, whoever fills the others', () => {
    const recorder = createRecorder(Date.now);
    for (const id of ['idle', 'receiving', 'read']) addTo(recorder, id);
    const ids = name(300);
    for (const id of ids) {
      for (let i = 0; i < 30; i++) addTo(recorder, id);
      addTo(recorder, 'receiving');
      recorder.list('read', 0);
    }
    assert.deepEqual([isRecorded(recorder, 'idle'), isRecorded(recorder, 'read')], [false, true]);
    assert.equal(recorder.list('receiving', 0).at(-1)?.number, 301);
    const kept = ids.filter((id) => isRecorded(recorder, id));
    assert.deepEqual(kept, ids.slice(-kept.length));
    const sum = kept.reduce((bytes, id) => bytes + JSON.stringify(recorder.list(id, 0)).length, 0);
    assert.ok(sum > 28 * 2 ** 20 && sum <= 32 * 2 ** 20, String(sum));
  });

  test('and the numbers of a sandbox never restart, even if its record was deleted', () => {
    const recorder = createRecorder(Date.now);
    for (let i = 0; i < 150; i++) addTo(recorder, 'first');
    for (const id of name(300)) for (let i = 0; i < 30; i++) addTo(recorder, id);
    assert.equal(isRecorded(recorder, 'first'), false);
    addTo(recorder, 'first');
    assert.deepEqual(
      recorder.list('first', 150).map(({ number }) => number),
      [151],
    );
  });

  test('and a request that ends after its record was deleted takes no room', () => {
    const recorder = createRecorder(Date.now);
    const request = Object.assign(new IncomingMessage(new Socket()), { method: 'GET', url: '/plants' });
    const exchange = new Exchange(request, new ServerResponse(request), 'id', AbortSignal.any([]));
    const terms = { address: '', createdAt: 0, expiresAt: 1, hash: 'hash', store: '~', faults: '' };
    const credential = new SandboxCredential('hash', { ...terms, id: 'late', plants: 'none' });
    exchange.credential = credential;
    recorder.begin(credential, exchange);
    for (const id of name(300)) for (let i = 0; i < 30; i++) addTo(recorder, id);
    recorder.end(exchange, { status: 200, headers: {} });
    assert.equal(isRecorded(recorder, 'late'), false);
  });
});
