/** The budgets of what visitors hold in memory: whoever exceeds one is refused, and nobody else notices. */
import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { after, describe, test } from 'node:test';
import { type Client, errorOf } from '../harness/client.ts';
import { startTestService, type TestService } from '../harness/service.ts';
import { enterSandbox, waitUntil } from './sandbox.ts';

/** One sandbox may hold 64 KiB, one address 128 KiB. */
const MEMORY = 524_288;
const NAME = 'a'.repeat(1_000);

async function fill({ send }: Client, count: number): Promise<void> {
  const plants = Array.from({ length: count }, (_, id) => send('POST', '/plants', { body: { id, name: NAME } }));
  for (const { status } of await Promise.all(plants)) assert.equal(status, 200);
}

/** Sends requests that wait, each on a connection of its own. Returns the connections. */
function hold({ url, token }: Client, count: number, target: string, fault: string): readonly Socket[] {
  return Array.from({ length: count }, () => {
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' });
    const fields = `Host: x\r\nAuthorization: Bearer ${token}\r\nFault: ${fault}`;
    socket.on('error', () => undefined);
    socket.write(`GET ${target} HTTP/1.1\r\n${fields}\r\n\r\n`);
    return socket;
  });
}

describe('a visitor whose responses wait', async () => {
  const service = await startTestService({ sandboxes: 100, sandboxMemory: MEMORY, maxUnread: 65_537 });
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
      // Each response has 20 KB, so three of them fit into 64 KiB.
      const sockets = hold(visitor, 3, '/plants', fault);
      await waitUntil(async () => (await delayed(visitor)).status === 429);
      const refused = await delayed(visitor);
      assert.equal(errorOf(refused), 42902);
      assert.equal(refused.headers['retry-after'], '1');
      assert.match(refused.text, /A sandbox may have at most 64 KiB of responses that wait/);
      // What does not wait is not refused, and neither is another sandbox.
      assert.equal((await visitor.send('GET', '/plants')).status, 200);
      assert.equal((await delayed(await enter())).status, 200);
      release(sockets);
      await waitUntil(async () => (await delayed(visitor)).status === 200);
    });
  }

  test('shares the budget of an address with all its sandboxes', async () => {
    const visitors = await Promise.all([enter(), enter(), enter()]);
    const sockets = visitors.slice(0, 2).flatMap((one) => hold(one, 3, '/plants', 'delay;ms=30000;when=afterCommit'));
    const last = visitors[2] as Client;
    await waitUntil(async () => (await delayed(last)).status === 429);
    assert.match((await delayed(last)).text, /The sandboxes of one address may have at most 128 KiB/);
    release(sockets);
    await waitUntil(async () => (await delayed(last)).status === 200);
  });

  test('leaves the budget of the operator alone', async () => {
    const { client } = service;
    await fill(client, 66);
    const list = '/plants?limit=1000';
    // The operator's page has 67 KB, more than --max-unread of this test. So this is the control.
    assert.equal(errorOf(await client.send('GET', list)), 50301);
    await client.send('DELETE', '/plants/0');
    await client.send('DELETE', '/plants/1');
    await client.send('DELETE', '/plants/2');
    const visitor = await enter();
    const sockets = hold(visitor, 3, '/plants', 'slow;rate=1');
    await waitUntil(async () => (await delayed(visitor)).status === 429);
    assert.equal((await client.send('GET', list)).status, 200);
    release(sockets);
  });
});

test('a page that is written in many slices is whole', async () => {
  await using service = await startTestService({ sandboxes: 10 });
  for (const one of [service.client, await enterSandbox(service)]) {
    await fill(one, 900);
    const plants = (await one.send('GET', '/plants?limit=1000')).json();
    assert.deepEqual(
      plants,
      Array.from({ length: 900 }, (_, id) => ({ id, name: NAME })),
    );
    one.close();
  }
});

test('a sandbox may have 1,000 requests that wait because of faults, and others may still wait', async () => {
  await using service: TestService = await startTestService({ sandboxes: 10 });
  const visitor = await enterSandbox(service);
  const other = await enterSandbox(service);
  const sockets = hold(visitor, 1_000, '/plants', 'delay;ms=30000');
  const wait = (one: Client) => one.send('GET', '/plants', { headers: { Fault: 'delay;ms=1' } });
  await waitUntil(async () => (await wait(visitor)).status === 429);
  const refused = await wait(visitor);
  assert.equal(errorOf(refused), 42902);
  assert.match(refused.text, /A sandbox may have at most 1000 requests that wait because of faults/);
  assert.equal((await wait(other)).status, 200);
  for (const socket of sockets) socket.resetAndDestroy();
  await waitUntil(async () => (await wait(visitor)).status === 200);
  visitor.close();
  other.close();
});
