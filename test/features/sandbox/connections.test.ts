/** Faults on a connection: pipelined requests, HEAD, TLS, clients that leave or never close, and the log. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect as connectPlain, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { generate } from 'selfsigned';
import { type Client, createClient } from '../../harness/client.ts';
import { createDirectory } from '../../harness/directory.ts';
import { startTestService } from '../../harness/service.ts';
import { enterSandbox, makeSandbox, QUICK, waitUntil } from './sandbox.ts';

interface Received {
  readonly method: string;
  readonly status: number;
  readonly milliseconds: number;
  readonly fault?: string;
}

const BODY = '{"id":1,"name":"Fern"}';

/** The bytes of a request. */
function bytes(token: string, fault: string, line = 'GET /plants/1', body = ''): string {
  const fields = ['Host: x', `Authorization: Bearer ${token}`, ...(fault === '' ? [] : [`Fault: ${fault}`])];
  if (body !== '') fields.push('Content-Type: application/json', `Content-Length: ${body.length}`);
  return `${[`${line} HTTP/1.1`, ...fields].join('\r\n')}\r\n\r\n${body}`;
}

interface Ending {
  readonly text: string;
  /** `end`, or the code of the connection's error. */
  readonly how: string;
}

/** Reads until the connection ends. */
async function readAll(socket: Socket): Promise<Ending> {
  let found = '';
  let how = 'closed';
  socket.on('data', (chunk) => {
    found += chunk;
  });
  socket.on('end', () => {
    how = 'end';
  });
  socket.on('error', (error: NodeJS.ErrnoException) => {
    how = error.code ?? error.message;
  });
  // `once` of node:events would reject after an error.
  await new Promise((resolve) => socket.once('close', resolve));
  return { text: found, how };
}

describe('faults on a connection', async () => {
  const service = await startTestService({ sandboxes: 1_000, sandboxTimes: QUICK, slowRequest: 100 });
  after(() => service[Symbol.asyncDispose]());
  const port = Number(new URL(service.client.url).port);
  const enter = async () => {
    const { token } = await makeSandbox(service.client);
    const client = createClient(service.client.url, token);
    after(() => client.close());
    await client.send('POST', '/plants', { body: { id: 1, name: 'Fern' } });
    return { token, client };
  };
  const open = (more: object = {}) => connectPlain({ port, host: '127.0.0.1', ...more });
  const received = async (client: Client) =>
    (await client.send('GET', '/sandbox/requests')).json() as readonly Received[];
  const idsOf = async (client: Client) =>
    ((await client.send('GET', '/plants')).json() as { id: number }[]).map(({ id }) => id);

  for (const fault of ['reset', 'truncate', 'slow;rate=1000000']) {
    test(`after a fault that closes the connection (${fault}), pipelined requests are not carried out`, async () => {
      const { token, client } = await enter();
      const socket = open();
      const end = readAll(socket);
      const create = bytes(token, '', 'POST /plants', '{"id":2,"name":"Fern"}');
      socket.write(bytes(token, '') + bytes(token, fault) + create);
      const { text: found, how } = await end;
      assert.equal(how, fault === 'reset' ? 'ECONNRESET' : 'end');
      assert.ok(found.includes(BODY) && found.split('HTTP/1.1 200').length - 1 === (fault === 'reset' ? 1 : 2), found);
      assert.deepEqual(await idsOf(client), [1]);
    });
  }

  test('a delay also delays the requests pipelined behind it, but no other connection', async () => {
    const { token, client } = await enter();
    const socket = open();
    const end = readAll(socket);
    socket.write(bytes(token, 'delay;ms=30000') + bytes(token, '', 'POST /plants', '{"id":2,"name":"Fern"}'));
    await waitUntil(async () => (await client.send('GET', '/plants')).status === 200);
    assert.deepEqual(await idsOf(client), [1]);
    socket.destroy();
    await end;
  });

  test('a fault of the body leaves a response without a body whole: HEAD, 204, 304', async () => {
    const { token, client } = await enter();
    const { headers } = await client.send('GET', '/plants/1');
    for (const fault of ['truncate', 'slow;rate=1']) {
      const head = await client.send('HEAD', '/plants/1', { headers: { Fault: fault } });
      assert.deepEqual([head.status, head.headers['content-length']], [200, String(BODY.length)]);
      const same = { Fault: fault, 'If-None-Match': headers.etag };
      assert.equal((await client.send('GET', '/plants/1', { headers: same })).status, 304);
    }
    assert.equal((await client.send('DELETE', '/plants/1', { headers: { Fault: 'truncate' } })).status, 204);
    const socket = open();
    socket.write(bytes(token, 'status;status=503', 'HEAD /plants/1'));
    const [first] = await once(socket, 'data');
    assert.match(String(first), /^HTTP\/1\.1 503 /);
    assert.match(String(first), /\r\n\r\n$/);
    socket.destroy();
  });

  test('a truncated response does not hold a connection that the client never closes', async () => {
    await using other = await startTestService({ sandboxes: 10, sandboxTimes: QUICK, maxConnections: 1 });
    const { token } = await makeSandbox(other.client);
    other.client.close();
    const end = new URL(other.client.url);
    const isServed = async () => {
      const get = fetch(`${end.origin}/healthz`, { headers: { Connection: 'close' } });
      return get.then(
        ({ status }) => status === 200,
        () => false,
      );
    };
    await waitUntil(isServed);
    let socket: Socket | undefined;
    await waitUntil(async () => {
      socket = connectPlain({ port: Number(end.port), host: '127.0.0.1', allowHalfOpen: true });
      const hasData = new Promise((resolve) => socket?.once('data', resolve).once('close', () => resolve(undefined)));
      socket.on('error', () => undefined).write(bytes(token, 'truncate', 'GET /plants'));
      return (await hasData) !== undefined;
    });
    // The client never closes its end, so only the service can free the connection.
    await waitUntil(isServed);
    assert.equal(socket?.writableEnded, false);
    socket?.destroy();
  });

  test('a truncated response declares the whole length and ends half-way, for two bytes or many', async () => {
    const { token, client } = await enter();
    for (let id = 2; id <= 40; id++) await client.send('POST', '/plants', { body: { id, name: 'Fern '.repeat(200) } });
    for (const target of ['/plants?limit=40', '/plants?tag=none']) {
      const socket = open();
      const end = readAll(socket);
      socket.write(bytes(token, 'truncate', `GET ${target}`));
      const { text: found, how } = await end;
      const [head = '', body = ''] = found.split('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
      assert.deepEqual([how, body.length], ['end', Math.floor(length / 2)], head);
    }
  });

  test('a delay is in the record, but the log does not report a slow request', async () => {
    const { client } = await enter();
    await client.send('GET', '/plants/1', { headers: { Fault: 'delay;ms=300' } });
    await client.send('GET', '/plants/1', { headers: { Fault: 'delay;ms=300;when=afterCommit' } });
    const late = (await received(client)).filter(({ fault }) => fault !== undefined);
    assert.deepEqual(
      late.map(({ fault, milliseconds }) => [fault, milliseconds >= 300]),
      [
        ['delay', true],
        ['delay, after commit', true],
      ],
    );
    // On a busy machine other requests may really be slow.
    assert.doesNotMatch(service.log(), /"path":"\/plants\/1","status":\d+,"milliseconds":3\d\d\b.*a request was slow/);
  });

  test('the record shows a request that was carried out although its client left during the delay', async () => {
    const { token, client } = await enter();
    const socket = open();
    const end = readAll(socket);
    socket.write(bytes(token, 'delay;ms=30000;when=afterCommit', 'POST /plants', '{"id":2,"name":"Fern"}'));
    await waitUntil(async () => (await client.send('GET', '/plants/2')).status === 200);
    socket.resetAndDestroy();
    await end;
    await waitUntil(async () => (await received(client)).some(({ fault }) => fault === 'delay, after commit'));
    assert.equal((await received(client)).find(({ fault }) => fault !== undefined)?.status, 200);
  });

  test('a slow response is completed immediately when the service stops', async () => {
    await using other = await startTestService({ sandboxes: 10, sandboxTimes: QUICK });
    const { token } = await makeSandbox(other.client);
    const client = createClient(other.client.url, token);
    await client.send('POST', '/plants', { body: { id: 1, name: 'Fern' } });
    const socket = connectPlain({ port: Number(new URL(other.client.url).port), host: '127.0.0.1' });
    const end = readAll(socket);
    socket.write(bytes(token, 'slow;rate=1'));
    await once(socket, 'data');
    await other.restart();
    assert.ok((await end).text.endsWith(BODY));
    client.close();
  });

  test('a request that arrived before the rules were replaced does not restart their counts', async () => {
    const { token, client } = await enter();
    const rule = (times: number) => [{ fault: { kind: 'status', status: 503 }, match: { id: 9 }, times }];
    const create = '{"id":9,"name":"Fern"}';
    await client.send('PUT', '/sandbox/faults', { body: rule(1) });
    const socket = open();
    const end = readAll(socket);
    // The rules are replaced before the body arrives.
    const head = bytes(token, '', 'POST /plants', create).slice(0, -create.length);
    const asked = once(socket, 'data');
    socket.write(head.replace('\r\n\r\n', '\r\nExpect: 100-continue\r\n\r\n'));
    assert.match(String((await asked)[0]), /^HTTP\/1\.1 100 /);
    await client.send('PUT', '/sandbox/faults', { body: rule(2) });
    const status = async () => (await client.send('GET', '/plants/9')).status;
    assert.equal(await status(), 503);
    socket.end(create);
    assert.match((await end).text, /\r\n\r\nHTTP\/1\.1 503 /);
    assert.deepEqual([await status(), await status()], [503, 404]);
  });
});

test('a reset under TLS ends the connection without a response, and the log reports no failure', async () => {
  using directory = createDirectory();
  const [tlsCert, tlsKey] = [directory.at('cert.pem'), directory.at('key.pem')];
  const made = await generate([{ name: 'commonName', value: 'localhost' }], { keySize: 2048 });
  writeFileSync(tlsCert, made.cert);
  writeFileSync(tlsKey, made.private);
  await using service = await startTestService({ demo: true, token: 'demo', tlsCert, tlsKey });
  const send = async (fault: string) => {
    const port = Number(new URL(service.running.url).port);
    const socket = connectTls({ port, host: '127.0.0.1', ca: made.cert, servername: 'localhost' });
    const end = readAll(socket);
    socket.write(bytes('demo', fault, 'GET /plants'));
    return end;
  };
  const reset = await send('reset');
  assert.equal(reset.text, '');
  assert.match((await send('truncate')).text, /^HTTP\/1\.1 200 /);
  assert.doesNotMatch(service.log(), /a request failed/);
});

test('the log reports at most ten slow requests of sandboxes a minute, so that visitors cannot fill it', async () => {
  await using service = await startTestService({ sandboxes: 10, slowRequest: 1, sandboxTimes: QUICK });
  const client = await enterSandbox(service);
  const body = JSON.stringify({ id: 1, name: 'Fern' });
  for (let i = 0; i < 15; i++) {
    const { token } = client;
    const socket = connectPlain({ port: Number(new URL(client.url).port), host: '127.0.0.1' });
    const whole = bytes(token, '', 'POST /plants', body);
    socket.write(whole.slice(0, -1));
    await new Promise((resolve) => setTimeout(resolve, 10));
    socket.end(whole.slice(-1));
    assert.match(await text(socket), /^HTTP\/1\.1 200 /);
  }
  const lines = service
    .log()
    .split('\n')
    .filter((line) => line.includes('a request was slow'));
  assert.ok(lines.length <= 10, String(lines.length));
  client.close();
});

test('idle keeps the connection for a write that is pipelined behind it', async () => {
  await using service = await startTestService({ sandboxes: 10 });
  const client = await enterSandbox(service);
  const port = Number(new URL(client.url).port);
  const write = (fault: string) => bytes(client.token, fault, 'POST /plants', BODY);
  // Node reads on at the end of the second body. The connection is not idle, because its response is missing.
  for (const ms of [1, 20, 1, 1, 1]) {
    const socket = connectPlain(port, '127.0.0.1');
    const last = write('delay;ms=50;when=afterCommit').replace('Host: x', 'Host: x\r\nConnection: close');
    socket.write(write(`idle;ms=${ms}`) + last);
    assert.deepEqual((await text(socket)).match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 200'], `${ms} ms`);
  }
});
