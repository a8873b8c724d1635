/** The budgets of visitors in memory: a request beyond a budget is refused, and other visitors are not affected. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, type ClientResponse, errorOf } from '../../harness/client.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { enterSandbox, waitUntil } from './sandbox.ts';

/** One sandbox may hold 64 KiB, one address 128 KiB. */
const MEMORY = 524_288;
const NAME = 'a'.repeat(900);

async function fill({ send }: Client, count: number, name = NAME): Promise<void> {
  const plants = Array.from({ length: count }, (_, id) => send('POST', '/plants', { body: { id, name } }));
  for (const { status } of await Promise.all(plants)) assert.equal(status, 200);
}

/** Sends a request that waits, on a connection of its own. */
function hold({ url, token }: Client, target: string, fault: string): Socket {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' });
  const fields = `Host: x\r\nAuthorization: Bearer ${token}\r\nFault: ${fault}`;
  socket.on('error', () => undefined);
  socket.write(`GET ${target} HTTP/1.1\r\n${fields}\r\n\r\n`);
  return socket;
}

/** Otherwise the next request, which is to be refused, may arrive first and take the last place each time. */
const settled = (socket: Socket) => Promise.race([once(socket, 'data'), sleep(50)]);

/** Sends requests that wait until a further request is refused. Returns the refusal and the connections. */
async function holdUntilRefused(visitors: readonly Client[], fault: string, send: () => Promise<ClientResponse>) {
  const sockets: Socket[] = [];
  for (;;) {
    const refused = await send();
    if (refused.status === 429) return { refused, sockets };
    const held = visitors.map((one) => hold(one, '/plants', fault));
    sockets.push(...held);
    await Promise.all(held.map(settled));
  }
}

describe('a visitor whose responses wait', async () => {
  const service = await startTestService({ sandboxes: 100, sandboxMemory: MEMORY, maxUnread: 140_000 });
  after(() => service[Symbol.asyncDispose]());
  const enter = async (count = 20) => {
    const visitor = await enterSandbox(service);
    after(() => visitor.close());
    await fill(visitor, count);
    return visitor;
  };
  const release = (sockets: readonly Socket[]) => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  const delayed = (visitor: Client, ms = 1) =>
    visitor.send('GET', '/plants', { headers: { Fault: `delay;ms=${ms};when=afterCommit` } });

  for (const fault of ['delay;ms=30000;when=afterCommit', 'slow;rate=1']) {
    test(`holds at most the budget of a sandbox (${fault.split(';', 1)})`, async () => {
      const visitor = await enter();
      const { refused, sockets } = await holdUntilRefused([visitor], fault, () => delayed(visitor));
      assert.equal(errorOf(refused), 42902);
      assert.equal(refused.headers['retry-after'], '1');
      assert.match(refused.text, /A sandbox may have at most 64 KiB of waiting requests, responses and streams/);
      // A request that does not wait is not refused. A request of another sandbox is not refused either.
      assert.equal((await visitor.send('GET', '/plants/1')).status, 200);
      assert.equal((await delayed(await enter())).status, 200);
      release(sockets);
      await waitUntil(async () => (await delayed(visitor)).status === 200);
    });
  }

  test('shares the budget of an address with all its sandboxes', async () => {
    const [last, ...others] = [await enter(), await enter(), await enter(), await enter()];
    const { refused, sockets } = await holdUntilRefused(others, 'slow;rate=1', () => delayed(last));
    assert.match(refused.text, /The sandboxes of one address may have at most 128 KiB/);
    release(sockets);
    await waitUntil(async () => (await delayed(last)).status === 200);
  });

  test('is refused if its long bodies do not arrive', async () => {
    const visitor = await enter(0);
    const sockets: Socket[] = [];
    // Each body is counted once it is longer than 8 KiB.
    const send = () => visitor.send('POST', '/plants', { body: { id: 1, name: 'Fern', note: 'x'.repeat(12_000) } });
    let refused = await send();
    while (refused.status !== 429) {
      const socket = connect({ port: Number(new URL(visitor.url).port), host: '127.0.0.1' });
      socket.on('error', () => undefined);
      const fields = `Host: x\r\nAuthorization: Bearer ${visitor.token}\r\nContent-Type: application/json`;
      socket.write(`POST /plants HTTP/1.1\r\n${fields}\r\nContent-Length: 12000\r\n\r\n${' '.repeat(11_999)}`);
      sockets.push(socket);
      await settled(socket);
      refused = await send();
    }
    assert.equal(errorOf(refused), 42902);
    assert.equal((await visitor.send('POST', '/plants', { body: { id: 2, name: 'Fern' } })).status, 200);
    assert.notEqual((await (await enter(0)).send('POST', '/plants', { body: 'x'.repeat(12_000) })).status, 429);
    release(sockets);
    await waitUntil(async () => (await send()).status === 200);
  });

  test('leaves the budget of the operator alone', async () => {
    const { client } = service;
    // A name counts 1,800 bytes, whether a page is written at once or, on a busy machine, in slices.
    await fill(client, 80, 'é'.repeat(900));
    // The control: a page beyond --max-unread of this test.
    assert.equal(errorOf(await client.send('GET', '/plants?limit=80')), 50301);
    const visitor = await enter();
    const { sockets } = await holdUntilRefused([visitor], 'slow;rate=1', () => delayed(visitor));
    // With the 64 KiB of the visitor, this page would be beyond it too.
    assert.equal((await client.send('GET', '/plants?limit=72')).status, 200);
    release(sockets);
  });

  test('leaves it alone also without a sandbox, with bodies of POST /sandboxes that do not arrive', async () => {
    const { client } = service;
    await fill(client, 80, 'é'.repeat(900));
    const { port } = new URL(client.url);
    const ask = (body: string) => client.send('POST', '/sandboxes', { token: null, body });
    const long = `{"plants":"none"${' '.repeat(12_000)}}`;
    const sockets: Socket[] = [];
    let refused = await ask(long);
    while (refused.status === 201) {
      const socket = connect({ port: Number(port), host: '127.0.0.1' });
      socket.on('error', () => undefined);
      const fields = 'Host: x\r\nContent-Type: application/json\r\nContent-Length: 65536';
      socket.write(`POST /sandboxes HTTP/1.1\r\n${fields}\r\n\r\n${' '.repeat(12_000)}`);
      sockets.push(socket);
      await settled(socket);
      refused = await ask(long);
    }
    assert.equal(errorOf(refused), 42902);
    assert.match(refused.text, /The sandboxes of one address may have at most 128 KiB/);
    // The control is in the test before this.
    assert.equal((await client.send('GET', '/plants?limit=72')).status, 200);
    assert.equal((await ask('{}')).status, 201);
    release(sockets);
    await waitUntil(async () => (await ask(long)).status === 201);
  });
});

test('a long page is whole, although it is read and written in slices', async () => {
  await using service = await startTestService({ sandboxes: 10 });
  for (const one of [service.client, await enterSandbox(service)]) {
    await fill(one, 900);
    const ids = async (target: string) => {
      const found: number[] = [];
      for (let next: string | undefined = target; next !== undefined; ) {
        const { headers, json } = await one.send('GET', next);
        found.push(...(json() as { id: number }[]).map(({ id }) => id));
        next = /^<(.+)>; rel="next"$/.exec(String(headers['link']))?.[1];
      }
      return found;
    };
    const all = Array.from({ length: 900 }, (_, id) => id);
    assert.deepEqual(await ids('/plants?limit=1000'), all);
    assert.deepEqual(await ids('/plants?limit=333'), all);
    const odd = all.filter((id) => id % 2 === 1);
    await Promise.all(odd.map((id) => one.send('PUT', `/plants/${id}`, { body: { name: NAME, tag: 'odd' } })));
    assert.deepEqual(await ids('/plants?limit=200&tag=odd'), odd);
    one.close();
  }
});

test('a write with a fault is refused before it is carried out', async () => {
  // One sandbox may hold 2 KiB.
  await using service = await startTestService({ sandboxes: 1, sandboxMemory: 16_384 });
  const visitor = await enterSandbox(service);
  await fill(visitor, 1);
  const write = (id: number, method: string, path: string) =>
    visitor.send(method, path, { body: { id, name: NAME }, headers: { Fault: 'delay;ms=1' } });
  const sockets: Socket[] = [];
  let id = 0;
  let refused = await write(++id, 'POST', '/plants');
  while (refused.status !== 429) {
    assert.equal(refused.status, 200);
    const socket = hold(visitor, '/plants/0', 'delay;ms=30000;when=afterCommit');
    sockets.push(socket);
    await settled(socket);
    refused = await write(++id, 'POST', '/plants');
  }
  assert.equal(errorOf(refused), 42902);
  assert.equal(errorOf(await visitor.send('GET', `/plants/${id}`)), 40401);
  for (const socket of sockets) socket.resetAndDestroy();
  await waitUntil(async () => (await write(id, 'POST', '/plants')).status === 200);
  visitor.close();
});

test('a late request counts until it is carried out, although its client has left', async () => {
  await using service: TestService = await startTestService({ sandboxes: 10 });
  const visitor = await enterSandbox(service);
  const wait = (fault: string) => visitor.send('GET', '/plants', { headers: { Fault: fault } });
  for (let i = 0; i < 11; i++) {
    const late = await Promise.all(Array.from({ length: 100 }, () => wait('delay;ms=1;leave=continue')));
    assert.deepEqual([...new Set(late.map(({ status }) => status))], [200]);
  }
  const sockets = Array.from({ length: 1_100 }, () => hold(visitor, '/plants', 'delay;ms=30000;leave=continue'));
  while ((await wait('delay;ms=1')).status !== 429);
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.on('close', resolve).resetAndDestroy())));
  // A request whose client left without `leave` stops counting, as the next test shows.
  await visitor.send('GET', '/plants');
  assert.equal(errorOf(await wait('delay;ms=1')), 42902);
  visitor.close();
});

test('a sandbox may have 1,000 requests that wait because of faults, and others may still wait', async () => {
  await using service: TestService = await startTestService({ sandboxes: 10 });
  const visitor = await enterSandbox(service);
  const other = await enterSandbox(service);
  // A few more than 1,000: a request of `wait` can hold a place when the last of them arrives.
  const sockets = Array.from({ length: 1_010 }, () => hold(visitor, '/plants', 'delay;ms=30000'));
  const wait = (one: Client) => one.send('GET', '/plants', { headers: { Fault: 'delay;ms=1' } });
  let refused = await wait(visitor);
  while (refused.status !== 429) refused = await wait(visitor);
  assert.equal(errorOf(refused), 42902);
  assert.match(refused.text, /A sandbox may have at most 1000 requests that wait because of faults/);
  assert.equal((await wait(other)).status, 200);
  for (const socket of sockets) socket.resetAndDestroy();
  await waitUntil(async () => (await wait(visitor)).status === 200);
  visitor.close();
  other.close();
});
