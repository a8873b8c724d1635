/** One client cannot take unlimited memory, connections or time from other clients. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { createClient, errorOf } from '../harness/client.ts';
import { startTestService, type TestService } from '../harness/service.ts';

const limits = { requestTimeout: 1_500 };
const HOST = 'Host: localhost\r\n';
/** Each character takes six in JSON, so a page of such plants exceeds the buffers of a connection. */
const LONGEST = '\u0001'.repeat(1_024);

const portOf = ({ client }: TestService) => Number(new URL(client.url).port);
const get = (target: string, token: string) =>
  `GET ${target} HTTP/1.1\r\n${HOST}Authorization: Bearer ${token}\r\n\r\n`;

async function open(port: number, written: string, allowHalfOpen = false): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(written);
  return socket;
}

/** Stores plants whose page is as long as possible. */
function fill({ engine }: TestService, count: number) {
  const plants = Array.from({ length: count }, (_, id) => ({ id: BigInt(id), name: LONGEST, tag: LONGEST }));
  return engine.plants.createMany('default', plants);
}

describe('a client that reads slowly or not at all', async () => {
  const service = await startTestService(limits);
  after(() => service[Symbol.asyncDispose]());
  const { client } = service;
  const port = portOf(service);
  await fill(service, 1_000);
  const page = (await client.send('GET', '/plants?limit=1000')).text.length;
  const list = get('/plants?limit=1000', client.token);

  test('gets no further request performed while it has not read a response', async () => {
    const body = '{"id":5000,"name":"Aloe"}';
    const fields = `${HOST}Authorization: Bearer ${client.token}\r\nContent-Type: application/json\r\n`;
    const create = `POST /plants HTTP/1.1\r\n${fields}Content-Length: ${body.length}\r\n\r\n${body}`;
    const socket = await open(port, list + create);
    // From here on only the unread response can hold back the next request, not the work for other clients.
    await once(socket, 'readable');
    await sleep(300);
    assert.equal((await client.send('GET', '/plants/5000')).status, 404);
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    while (!received.endsWith('{"name":"Aloe"}')) await sleep(10);
    assert.equal((await client.send('GET', '/plants/5000')).status, 200);
    socket.destroy();
  });

  test('loses its connection when it reads nothing for as long as a request may take to arrive', async () => {
    const socket = await open(port, list);
    await sleep(4 * limits.requestTimeout);
    let received = 0;
    socket.on('data', (chunk) => {
      received += chunk.length;
    });
    await once(socket, 'close');
    assert.ok(received < page, `${received} bytes`);
  });

  test('gets its whole responses, and then a refusal if its next request is late', async () => {
    const socket = await open(port, `${list}${list}GET /healthz HTTP/1.1\r\n`);
    // The service reads the rest only when the turn of this request comes.
    await sleep(100);
    socket.write(`${HOST}Connection: close\r\n\r\n`);
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      // So slowly that the client cannot read all of it in the second that the service waits for it to close.
      socket.pause();
      setTimeout(() => socket.resume(), 20);
    });
    await once(socket, 'close');
    const received = Buffer.concat(chunks).toString();
    assert.equal(received.split('HTTP/1.1 200 OK').length - 1, 2);
    assert.match(received, /\}\]HTTP\/1\.1 400 [\s\S]*"error":40006,[\s\S]*\}$/);
    socket.destroy();
  });

  test('gets its whole response while it continues to read, even if that takes long', async () => {
    const socket = await open(port, list);
    let received = 0;
    let head = 0;
    socket.on('data', (chunk: Buffer) => {
      if (head === 0) head = chunk.indexOf('\r\n\r\n') + 4;
      received += chunk.length;
      socket.pause();
      setTimeout(() => socket.resume(), 10);
    });
    while (received < page + head) await sleep(10);
    assert.equal(received, page + head);
    socket.destroy();
  });
});

test('the bound on unread responses counts bytes, not characters, and does not grow with repetitions', async () => {
  await using service = await startTestService({ maxUnread: 100_000 });
  const { client } = service;
  const name = '\u65E5'.repeat(1_024);
  await Promise.all(Array.from({ length: 40 }, (_, id) => client.send('POST', '/plants', { body: { id, name } })));
  for (let time = 0; time < 3; time++) {
    assert.equal((await client.send('GET', '/plants?limit=20')).status, 200);
    assert.equal((await client.send('GET', '/plants?limit=40')).status, 503);
  }
});

test('long responses that wait for their clients are bounded over all connections', async (context) => {
  await using service = await startTestService({ maxUnread: 30_000_000 });
  const { client, engine } = service;
  await fill(service, 1_000);
  const list = '/plants?limit=1000';
  const take = async () => (await client.send('GET', list)).status;
  // Each has 12 MB. Two unread responses leave no room for a third.
  const begin = async () => {
    const socket = await open(portOf(service), get(list, client.token));
    await once(socket, 'readable');
    return socket;
  };
  const [first, second] = await Promise.all([begin(), begin()]);
  const refused = await client.send('GET', list);
  assert.equal(errorOf(refused), 50301);
  assert.equal(refused.headers['retry-after'], '1');
  assert.match(service.log(), /a long request or response was refused/);
  assert.equal((await client.send('GET', '/plants?limit=5')).status, 200);
  // A response that was sent makes room.
  first.resume();
  while ((await take()) !== 200) await sleep(10);
  second.destroy();
  // Clients that leave before their response exists take no room permanently. HEAD takes no room either.
  const read = engine.plants.list.bind(engine.plants);
  const made = Promise.withResolvers<void>();
  context.mock.method(engine.plants, 'list', async (...of: Parameters<typeof read>) => {
    await made.promise;
    return read(...of);
  });
  const left = await Promise.all(Array.from({ length: 5 }, () => open(portOf(service), get(list, client.token))));
  await sleep(100);
  for (const socket of left) socket.resetAndDestroy();
  await sleep(100);
  made.resolve();
  while ((await take()) !== 200) await sleep(10);
  for (let i = 0; i < 5; i++) assert.equal((await client.send('HEAD', list)).status, 200);
  const both = await Promise.all([take(), take()]);
  assert.deepEqual(both, [200, 200]);
  first.destroy();
});

test('a request that arrives on an idle connection as the service stops gets the last response on it', async () => {
  const service = await startTestService();
  const socket = await open(portOf(service), get('/healthz', ''));
  await once(socket, 'data');
  const stopped = service[Symbol.asyncDispose]();
  socket.write(get('/healthz', ''));
  let response = '';
  for await (const chunk of socket) response += chunk;
  assert.match(response, /^HTTP\/1\.1 200 OK\r\n(?:.+\r\n)*Connection: close\r\n/);
  await stopped;
});

test('the first request on a connection gets its response, even if the service stops before it reads it', async () => {
  const service = await startTestService();
  const socket = await open(portOf(service), '');
  const other = await open(portOf(service), get('/healthz', ''));
  await once(other, 'data');
  socket.write(get('/healthz', ''));
  const stopped = service[Symbol.asyncDispose]();
  // So long that the first check for idle connections is due when the event loop turns.
  for (const until = performance.now() + 100; performance.now() < until; );
  let response = '';
  for await (const chunk of socket) response += chunk;
  assert.match(response, /^HTTP\/1\.1 200 OK\r\n(?:.+\r\n)*Connection: close\r\n/);
  await stopped;
});

test('a response that is being sent when the service stops arrives whole, even if most of it was sent', async () => {
  const service = await startTestService();
  const { client } = service;
  await fill(service, 400);
  // Each response is a little longer than the one before. All are near the 4 MB that Linux buffers for a connection, so
  // for some of them the system already has all but the last bytes.
  const lists = Array.from({ length: 75 }, async (_, i) => {
    const socket = await open(portOf(service), get(`/plants?limit=${250 + 2 * i}`, client.token));
    const chunks: Buffer[] = [];
    await once(socket, 'readable');
    return {
      read: async () => {
        for await (const chunk of socket) chunks.push(chunk);
        const response = Buffer.concat(chunks);
        const head = response.indexOf('\r\n\r\n') + 4;
        const declared = /Content-Length: (\d+)/.exec(response.subarray(0, head).toString('latin1'))?.[1];
        return { declared: Number(declared), received: response.length - head };
      },
    };
  });
  const begun = await Promise.all(lists);
  await sleep(200);
  const stopped = service[Symbol.asyncDispose]();
  await sleep(200);
  for (const { declared, received } of await Promise.all(begun.map(({ read }) => read()))) {
    assert.equal(received, declared);
  }
  await stopped;
});

describe('a long pipeline', async () => {
  const service = await startTestService(limits);
  after(() => service[Symbol.asyncDispose]());

  test('does not keep the requests of other clients waiting', async () => {
    const { client } = service;
    const port = portOf(service);
    const [long, other] = await Promise.all([open(port, ''), open(port, '')]);
    let responses = 0;
    long.on('data', (chunk) => {
      responses += String(chunk).split('HTTP/1.1 ').length - 1;
    });
    long.write(get('/plants/1', client.token).repeat(300));
    other.write(get('/healthz', client.token));
    await once(other, 'data');
    assert.ok(responses < 300, 'the whole pipeline got its responses before the other client');
    while (responses < 300) await sleep(10);
    for (const socket of [long, other]) socket.destroy();
  });

  test('does not keep them waiting either if several clients write faster than the service responds', async () => {
    // With a short time-out, requests that wait for their turn would be refused as late.
    await using patient = await startTestService();
    const { client } = patient;
    const port = portOf(patient);
    const other = await open(port, '');
    const requests = 5_000;
    const responses = new Int32Array(new SharedArrayBuffer(4));
    const count = () => Atomics.load(responses, 0);
    // A thread, so that it also writes while the event loop of the service is busy.
    // Node's parser gives up to 32 header fields at once. More fields once let it read on despite the pause.
    const request = get('/plants/1', client.token).replace(HOST, `${HOST}${'A:\r\n'.repeat(40)}`);
    const workerData = { port, request, requests, responses };
    const flood = new Worker(FLOOD, { eval: true, workerData });
    while (count() === 0) await sleep(1);
    const before = count();
    other.write(get('/healthz', client.token));
    await once(other, 'data');
    const meanwhile = count() - before;
    assert.ok(meanwhile < 200, `the other client had to wait for ${meanwhile} responses`);
    other.destroy();
    await once(flood, 'exit');
    assert.equal(count(), 4 * requests);
  });
});

test('many requests of one client take turns with the requests of others, also behind a proxy', async () => {
  await using service = await startTestService({ trustProxy: ['127.0.0.1'] });
  const { client } = service;
  const forwarded = (address: string) =>
    get('/plants/1', client.token).replace(HOST, `${HOST}X-Forwarded-For: ${address}\r\n`);
  const openWarm = async (address: string) => {
    const socket = await open(portOf(service), forwarded(address));
    await once(socket, 'data');
    return socket;
  };
  const flood: Socket[] = [];
  for (let i = 0; i < FLOODING; i++) flood.push(await openWarm('192.0.2.1'));
  const other = await openWarm('192.0.2.2');
  let responses = 0;
  for (const socket of flood) socket.once('data', () => responses++);
  // All requests wait in the system when the service reads the first.
  for (const socket of flood) socket.write(forwarded('192.0.2.1'));
  other.write(forwarded('192.0.2.2'));
  await once(other, 'data');
  assert.ok(responses < FLOODING / 2, `the other client had to wait for ${responses} responses`);
  while (responses < FLOODING) await sleep(10);
  for (const socket of [...flood, other]) socket.destroy();
});

const FLOODING = 900;

/** A thread that writes `requests` requests to each of four connections, and counts the responses. */
const FLOOD = `
  const { connect } = require('node:net');
  const { port, request, requests, responses } = require('node:worker_threads').workerData;
  for (let i = 0; i < 4; i++) {
    const socket = connect(port, '127.0.0.1');
    let rest = '';
    let received = 0;
    socket.on('data', (bytes) => {
      const parts = (rest + bytes.toString('latin1')).split('HTTP/1.1 ');
      rest = parts.at(-1).slice(-8);
      received += parts.length - 1;
      Atomics.add(responses, 0, parts.length - 1);
      if (received === requests) socket.destroy();
    });
    socket.write(request.repeat(requests));
  }
`;

test('a client that has closed its side gets a short response, but no long page', async () => {
  const clients = 200;
  await using service = await startTestService({ events: true });
  const plants = Array.from({ length: 1_000 }, (_, id) => ({ id: BigInt(id), name: '' }));
  await service.engine.plants.createMany('default', plants);
  /** How many clients got a page that all of them asked for at the same moment. */
  const countServed = async (target: string) => {
    const connecting = Array.from({ length: clients }, () => open(portOf(service), get('/healthz', '')));
    const sockets = await Promise.all(connecting);
    // The service accepts one connection per turn of its event loop.
    await Promise.all(sockets.map((socket) => once(socket, 'data')));
    for (const socket of sockets) socket.end(get(target, service.client.token));
    const responses = await Promise.all(sockets.map((socket) => text(socket)));
    return responses.filter((response) => response.startsWith('HTTP/1.1 200 OK')).length;
  };
  for (const short of ['/plants?limit=10', '/events?limit=1']) assert.equal(await countServed(short), clients);
  for (const long of ['/plants?limit=1000', '/events?limit=250']) {
    const served = await countServed(long);
    assert.ok(served < clients / 2, `${served} got ${long}`);
  }
});

test('the service reads little more of a connection while the store takes long for a request', async (context) => {
  await using service = await startTestService(limits);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { plants } = service.engine;
  const read = plants.get.bind(plants);
  context.mock.method(plants, 'get', async (...of: Parameters<typeof read>) => {
    await released;
    return read(...of);
  });
  const socket = await open(portOf(service), get('/plants/1', service.client.token));
  const more = get('/healthz', service.client.token).replace('\r\n\r\n', `\r\nA: ${'b'.repeat(10_000)}\r\n\r\n`);
  for (let sent = 0; sent < 3_000; sent++) socket.write(more);
  await sleep(300);
  assert.ok(socket.writableLength > 0, 'all of it was read');
  release();
  let responses = 0;
  socket.on('data', (chunk) => {
    responses += String(chunk).split('HTTP/1.1 ').length - 1;
  });
  while (responses < 3_001) await sleep(10);
  socket.destroy();
});

test('connections beyond the limit are closed', async () => {
  await using service = await startTestService({ maxConnections: 2 });
  const port = portOf(service);
  const held = await Promise.all([open(port, get('/healthz', '')), open(port, get('/healthz', ''))]);
  for (const socket of held) assert.match(String(await once(socket, 'data')), /^HTTP\/1\.1 200 /);
  const further = await open(port, get('/healthz', ''));
  let received = '';
  further.on('data', (chunk) => {
    received += chunk;
  });
  await once(further, 'close');
  assert.equal(received, '');
  for (const socket of held) socket.destroy();
  assert.match(service.log(), /"why":"the limit of --max-connections is reached","msg":"a new connection was closed/);
});

// Alone, since the service reads for only a second after a refusal if the client sends nothing.
test('a client can read the refusal of its request, even if it sent much more after it', async () => {
  await using service = await startTestService(limits);
  const socket = await open(portOf(service), 'BREW / HTTP/1.1\r\n\r\n');
  await sleep(100);
  // More than the system buffers. A client that reads only afterwards depends on the service to read all of it.
  assert.ifError(await new Promise((resolve) => socket.write(Buffer.alloc(16_000_000), resolve)));
  const [received] = await once(socket, 'data');
  assert.match(String(received), /^HTTP\/1\.1 405 /);
  socket.destroy();
});

describe('a connection without a valid request', { concurrency: true }, () => {
  for (const [what, written] of [
    ['sends nothing', ''],
    ['stops within a header', 'GET / HTTP/1.1\r\nHo'],
    ['stops within a body that was refused', `POST /plants HTTP/1.1\r\n${HOST}Content-Length: 50\r\n\r\n{`],
    ['asks for a tunnel', `CONNECT localhost:80 HTTP/1.1\r\n${HOST}\r\n`],
    ['is not HTTP', 'BREW / HTTP/1.1\r\n\r\n'],
  ] as const) {
    test(`does not keep its place if it ${what} and stays open`, { timeout: 20_000 }, async () => {
      await using service = await startTestService({ ...limits, maxConnections: 5 });
      const held = await Promise.all(Array.from({ length: 5 }, () => open(portOf(service), written, true)));
      for (const socket of held) socket.resume();
      const client = createClient(service.client.url, '');
      while ((await client.send('GET', '/healthz').catch(() => undefined))?.status !== 200) await sleep(50);
      client.close();
      for (const socket of held) socket.destroy();
    });
  }

  for (const [what, fields] of [
    ['that the client closes', 'Connection: close\r\n'],
    ['whose client sends the body without waiting for 100 Continue', 'Expect: 100-continue\r\n'],
  ]) {
    test(`can read the refusal of a long body on a connection ${what}`, async () => {
      await using service = await startTestService(limits);
      const length = 30_000_000;
      const socket = connect(portOf(service), '127.0.0.1');
      socket.write(`POST /plants HTTP/1.1\r\n${HOST}${fields}Content-Length: ${length}\r\n\r\n`);
      socket.write(Buffer.alloc(length));
      let received = '';
      socket.on('data', (chunk) => {
        received += chunk;
      });
      // A client whose response was discarded would only get the error of its write.
      await once(socket, 'end');
      assert.match(received, /^HTTP\/1\.1 401 /);
      socket.destroy();
    });
  }

  for (const [what, head] of [
    ['has no credential', `POST /plants HTTP/1.1\r\n${HOST}Connection: close\r\n`],
    ['has a malformed field', `POST /plants HTTP/1.1\r\n${HOST}A : b\r\n`],
    ['has an unknown method', `BREW /plants HTTP/1.1\r\n${HOST}`],
  ]) {
    test(`can read the refusal of a request that ${what}, if it sends for seconds before it reads`, async () => {
      await using service = await startTestService();
      const socket = await open(portOf(service), `${head}Content-Length: 2000\r\n\r\n`);
      socket.pause();
      for (let sent = 0; sent < 2_000; sent += 100) {
        socket.write(Buffer.alloc(100));
        await sleep(100);
      }
      assert.match(await text(socket), /^HTTP\/1\.1 4\d\d /);
    });
  }

  test('does not harm the service when it asks for a tunnel and is reset', async () => {
    await using service = await startTestService(limits);
    for (let round = 0; round < 10; round++) {
      const socket = await open(portOf(service), `CONNECT localhost:80 HTTP/1.1\r\n${HOST}\r\n`);
      await sleep(10);
      socket.write('x');
      socket.resetAndDestroy();
    }
    await sleep(50);
    assert.equal((await service.client.send('GET', '/healthz')).status, 200);
  });
});

test('a response that is not valid in HTTP becomes a 500 with an Error object, and the service continues', async () => {
  await using service = await startTestService({ ...limits, baseUrl: 'http://localhost/日本' });
  const { client } = service;
  // The client of the harness fails on a 500, and shows the log.
  const body = { id: 1, name: 'Aloe' };
  await assert.rejects(client.send('POST', '/plants', { body }), /a 500: POST .*"a request failed"/s);
  const response = await fetch(`${client.url}/plants`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${client.token}`, 'Content-Type': 'application/json', 'X-Request-Id': 'asked' },
    body: JSON.stringify(body),
  });
  assert.equal(response.status, 500);
  assert.equal(response.headers.get('x-request-id'), 'asked');
  assert.equal(((await response.json()) as { error: number }).error, 50000);
  assert.match(service.log(), /"requestId":"asked".*"a request failed"/);
  assert.equal((await client.send('GET', '/plants/1')).status, 200);
});
