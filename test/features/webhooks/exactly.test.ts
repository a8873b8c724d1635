/** A receiver gets exactly the committed changes, also if it fails and processes are killed while they deliver. */
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../../lab/grade/receiver/free-port.ts';
import { generateToken } from '../../../src/auth/token.ts';
import { type Client, createClient, parseExact } from '../../harness/client.ts';
import { createDatabase } from '../../harness/database.ts';
import { briefOrLong } from '../../harness/long.ts';
import { type ServiceProcess, serveProcess } from '../../harness/process.ts';
import { assertExact, changePlants, follow, type Seen } from '../events/changes.ts';
import type { ReadEvent } from '../events/reader.ts';
import { waitUntil } from '../sandbox/sandbox.ts';
import { type Answer, HANG_UP, startReceiver, verify } from './receiver.ts';
import { makeWebhook, readWebhook } from './webhooks.ts';

const WRITERS = 16;
const KILLS = Number(process.env['KILL_ROUNDS'] ?? briefOrLong(2, 20));
/** Changes of each round, and messages of it that the receiver gets before the process that sends them is killed. */
const CHANGES = 60;
const BEFORE_KILL = 20;

const QUICK_PROGRAM = fileURLToPath(new URL('quick-process.ts', import.meta.url));
const token = generateToken();

/** Fails 3 of 10 messages. A message has arrived also if the receiver then fails. */
const fail: Answer = () => {
  const kind = randomInt(100);
  if (kind < 2) return new Promise(() => {});
  if (kind < 12) return HANG_UP;
  if (kind < 30) return ([400, 429, 500, 302] as const)[kind % 4] as number;
  return 204;
};

test(`a failing receiver gets exactly the changes under ${WRITERS} writers and ${KILLS} kills`, async (t) => {
  await using database = await createDatabase();
  await using receiver = await startReceiver(fail);
  const ports = [await freePort(), await freePort()];
  const start = (index: number) =>
    serveProcess(
      [
        ...['--database', database.url, '--log-level', 'fatal', '--port', String(ports[index])],
        ...['--webhooks', '--webhook-allow', '127.0.0.0/8'],
      ],
      { PLANTSTORE_TOKEN: token },
      { command: [process.execPath, QUICK_PROGRAM] },
    );
  const services: ServiceProcess[] = [await start(0)];
  services.push(await start(1));
  const clients = services.map(({ url }) => createClient(url, token));
  const [client] = clients as [Client];
  let isOver = false;
  try {
    // The process that creates the webhook sends its messages. After each kill the other process does.
    const webhook = await makeWebhook(client, { url: receiver.url });
    let [changes, rotated] = [0, 0];
    let { secret } = webhook;
    for (let kill = 0; kill < KILLS; kill++) {
      const enough = changes + CHANGES;
      const isEnough = () => isOver || changes >= enough;
      const writers = Array.from({ length: WRITERS }, () => changePlants(clients, isEnough, () => changes++));
      await receiver.has(receiver.received.length + BEFORE_KILL);
      const index = kill % 2;
      if (kill === KILLS - 1) {
        ({ secret } = (await client.send('POST', `/webhooks/${webhook.id}/secret`)).json() as { secret: string });
      }
      await services[index]?.stop('SIGKILL');
      services[index] = await start(index);
      rotated = receiver.received.length;
      await Promise.all(writers);
    }
    // On a busy machine every message so far may have been sent while the killed process started again.
    const end = changes + BEFORE_KILL;
    await changePlants(
      clients,
      () => changes >= end,
      () => changes++,
    );
    const feed: Seen = new Map();
    await follow([client], feed, () => true);
    await waitUntil(async () => (await readWebhook(client, webhook)).behind === 0);

    const first: Seen = new Map();
    const order: number[] = [];
    for (const [place, message] of receiver.received.entries()) {
      verify(message, webhook.secret);
      if (place >= rotated) verify(message, secret);
      const event = parseExact(message.body) as ReadEvent;
      const { id, sequence } = event;
      assert.equal(message.id, id);
      assert.deepEqual(event, first.get(sequence) ?? event, 'a message is the same each time');
      if (!first.has(sequence)) order.push(sequence);
      first.set(sequence, event);
    }
    assert.deepEqual(
      order,
      order.toSorted((a, b) => a - b),
      'the first arrivals are in order',
    );
    assert.deepEqual(first, feed);
    assert.ok(receiver.received.length > first.size, 'messages were sent again');
    assert.ok(receiver.received.length > rotated, 'messages were sent after the rotation');
    await assertExact(first, client);
    t.diagnostic(`${KILLS} kills`);
    t.diagnostic(`${first.size} events`);
    t.diagnostic(`${receiver.received.length} messages`);
  } finally {
    isOver = true;
    for (const one of clients) one.close();
    await Promise.all(services.map((service) => service.stop('SIGTERM')));
  }
});
