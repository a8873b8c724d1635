/** Many clients leave or wait. The heap of the service is small, so it can hold nothing for a client that has left. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, createClient } from '../../harness/client.ts';
import { briefOrLong } from '../../harness/long.ts';
import { serveProcess } from '../../harness/process.ts';
import { makeSandbox } from './sandbox.ts';

/** The longest text in the memory: each character takes two UTF-16 units. */
const LONG = '🌵'.repeat(1_000);
const HEAP_MB = 144;

describe('a service with a small heap', async () => {
  const service = await serveProcess(
    ['--database', 'temporary', '--sandboxes', '50', '--events', '--max-unread', '32000000'],
    {
      NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}`,
    },
  );
  after(() => service[Symbol.asyncDispose]());
  const operator = createClient(service.url, service.token ?? '');
  const enter = async () => createClient(service.url, (await makeSandbox(operator)).token);
  const innocent = await enter();
  await innocent.send('POST', '/plants', { body: { id: 1, name: 'Fern' } });
  const assertServes = async () => assert.equal((await innocent.send('GET', '/plants')).status, 200);

  const replace = async ({ send }: Client, times: number, text: string) => {
    for (let done = 0; done < times; done += 50) {
      const body = (i: number) => ({ body: { name: `${text}${done + i}`, tag: text } });
      const sent = Array.from({ length: 50 }, (_, i) => send('PUT', '/plants/1', body(i)));
      for (const { status } of await Promise.all(sent)) assert.equal(status, 200);
    }
  };
  const visitor = await enter();
  await visitor.send('POST', '/plants', { body: { id: 1, name: '' } });
  await replace(visitor, 250, '');
  await replace(visitor, 250, LONG);

  const open = (target: string, token = visitor.token): Socket => {
    const socket = connect({ port: Number(new URL(service.url).port), host: '127.0.0.1' });
    socket.on('error', () => undefined);
    socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    return socket;
  };
  const leave = {
    RST: (socket: Socket) => socket.resetAndDestroy(),
    FIN: (socket: Socket) => socket.destroySoon(),
  };
  const { headers } = await visitor.send('GET', '/events?limit=250');
  /** The page of the long events. */
  const events = /^<([^>]+)>/.exec(String(headers['link']))?.[1] ?? '';

  const gardener = await enter();
  for (let id = 0; id < 450; id += 50) {
    const create = (i: number) => gardener.send('POST', '/plants', { body: { id: id + i, name: LONG, tag: LONG } });
    await Promise.all(Array.from({ length: 50 }, (_, i) => create(i)));
  }
  const pages = { events: () => open(events), plants: () => open('/plants?limit=1000', gardener.token) };

  for (const [what, ask] of Object.entries(pages))
    for (const [how, end] of Object.entries(leave)) {
      test(`holds no page of ${what} of a client that has left by ${how}`, async () => {
        for (let round = 0; round < briefOrLong(30, 100); round++) {
          const sockets = Array.from({ length: 32 }, ask);
          await sleep(20);
          sockets.forEach(end);
          await assertServes();
        }
      });
    }

  /** The statuses of many clients that wait for the same page at the same time. */
  const statusesOf = async (clients: number, target: string, token?: string) => {
    const sockets = Array.from({ length: clients }, () => open(target, token));
    const statuses = await Promise.all(
      sockets.map(async (socket) => {
        const first = await Promise.race([once(socket, 'data'), once(socket, 'close')]);
        socket.destroy();
        return String(first[0]).slice(9, 12);
      }),
    );
    return [...new Set(statuses)].toSorted();
  };

  test('refuses pages beyond the memory of a sandbox', async () => {
    assert.deepEqual(await statusesOf(400, events), ['200', '429']);
    await assertServes();
  });

  test('refuses pages beyond the memory of all clients', async () => {
    for (let id = 0; id < 1_000; id += 100) {
      const create = (i: number) => operator.send('POST', '/plants', { body: { id: id + i, name: LONG, tag: LONG } });
      for (const { status } of await Promise.all(Array.from({ length: 100 }, (_, i) => create(i)))) {
        assert.equal(status, 200);
      }
    }
    assert.deepEqual(await statusesOf(40, '/plants?limit=1000', operator.token), ['200', '503']);
    await assertServes();
  });

  test('sends a short response, and no long page, to a client that has closed its side', async () => {
    const heard = async (target: string, { token } = visitor) => {
      const socket = open(target, token);
      socket.end();
      let text = '';
      for await (const chunk of socket) text += String(chunk);
      return text;
    };
    assert.match(await heard('/plants', innocent), /^HTTP\/1\.1 200 .*\]$/s);
    assert.equal(await heard(events), '');
    await assertServes();
  });
});
