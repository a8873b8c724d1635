/** Requests that wait behind others on their connections take memory only from their own address. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTestService, type TestService } from '../harness/service.ts';

const SHORT = 'GET /x HTTP/1.1\r\nHost:\r\n\r\n';
/** The first address sends pipelines. */
const [FIRST, SECOND] = ['127.0.0.1', '127.0.0.2'];

async function open({ client }: TestService, localAddress: string, written: string): Promise<Socket> {
  const socket = connect({ port: Number(new URL(client.url).port), host: '127.0.0.1', localAddress });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(written);
  return socket;
}

/** Sends a request on a new connection and waits for its response. */
async function visit(service: TestService, localAddress: string): Promise<void> {
  const socket = await open(service, localAddress, SHORT);
  const [response] = await once(socket, 'data');
  assert.match(String(response), /^HTTP\/1\.1 404 /);
  socket.destroy();
}

/** Fills what the requests of the first address may take. `release`: the list before them gets its response. */
async function fill(service: TestService, { mock }: TestContext) {
  const { client, engine } = service;
  const list = engine.plants.list.bind(engine.plants);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  mock.method(engine.plants, 'list', async (...of: Parameters<typeof list>) => {
    await released;
    return list(...of);
  });
  // The list waits, and the short requests wait for its response. Node has parsed them all.
  const read = `GET /plants HTTP/1.1\r\nHost:\r\nAuthorization: Bearer ${client.token}\r\n\r\n`;
  const pipeline = `${read}${SHORT.repeat(2_000)}`;
  const pipelines = await Promise.all(Array.from({ length: 8 }, () => open(service, FIRST, pipeline)));
  await visit(service, SECOND);
  return { pipelines, release };
}

test('while many requests of an address wait, only its other connections are not read', async (context) => {
  await using service = await startTestService();
  const early = await open(service, FIRST, '');
  await visit(service, FIRST);
  const { pipelines, release } = await fill(service, context);
  const late = await open(service, FIRST, SHORT);
  early.write(SHORT);
  let responses = 0;
  const responded = [early, late].map(async (socket) => {
    await once(socket, 'data');
    responses++;
  });
  for (let i = 0; i < 5; i++) await visit(service, SECOND);
  assert.equal(responses, 0);
  // One pipeline gets its responses, and the others leave. Then the address is read again.
  const [served, ...others] = pipelines;
  let received = '';
  served?.on('data', (chunk) => {
    received += chunk;
  });
  for (const socket of others) socket.destroy();
  release();
  await Promise.all(responded);
  while ((received.match(/HTTP\/1\.1 404 /g)?.length ?? 0) < 2_000) await once(served as Socket, 'data');
  for (const socket of [early, late, served]) socket?.destroy();
});

test('a request that was not read before the service stops gets its response', async (context) => {
  const service = await startTestService();
  const early = await open(service, FIRST, '');
  await visit(service, FIRST);
  const { pipelines, release } = await fill(service, context);
  const late = await open(service, FIRST, SHORT);
  early.write(SHORT);
  const responded = [early, late].map(async (socket) => {
    let text = '';
    for await (const chunk of socket) text += chunk;
    assert.match(text, /^HTTP\/1\.1 404 Not Found\r\n(?:.+\r\n)*Connection: close\r\n/);
  });
  await visit(service, SECOND);
  const stopped = service[Symbol.asyncDispose]();
  // The service checks for idle connections many times.
  await sleep(200);
  for (const one of pipelines) one.destroy();
  release();
  await Promise.all([...responded, stopped]);
});

test('a request that the service did not read in time is not late', async (context) => {
  // Longer than `fill` takes on a busy machine.
  const requestTimeout = 4_000;
  await using service = await startTestService({ requestTimeout });
  const socket = await open(service, FIRST, SHORT.slice(0, 5));
  await visit(service, FIRST);
  const { pipelines, release } = await fill(service, context);
  socket.write(SHORT.slice(5));
  const responded = once(socket, 'data');
  // Node checks for late requests twice a second.
  await sleep(requestTimeout + 1_500);
  for (const one of pipelines) one.destroy();
  release();
  assert.match(String(await responded), /^HTTP\/1\.1 404 /);
  socket.destroy();
});
