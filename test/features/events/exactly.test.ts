/** The feed has exactly the committed changes, also if processes are killed while they write. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../../lab/grade/receiver/free-port.ts';
import { generateToken } from '../../../src/auth/token.ts';
import { type Client, createClient } from '../../harness/client.ts';
import { createDatabase } from '../../harness/database.ts';
import { type ServiceProcess, serveProcess } from '../../harness/process.ts';
import { startTestService } from '../../harness/service.ts';
import { assertExact, changePlants, follow, type Seen } from './changes.ts';

const WRITERS = 64;
const KILLS = Number(process.env['KILL_ROUNDS'] ?? 2);
/** Changes between two kills. */
const CHANGES = 100;
/** Changes of the plant that all clients want. */
const CONTESTED = 150;

const token = generateToken();

test(`the events are exactly the changes under ${WRITERS} writers, ${KILLS} kills and a stopping reader`, async () => {
  await using database = await createDatabase();
  const ports = [await freePort(), await freePort()];
  // Only the first process has the option. The second writes events as well, since they are on in the database.
  const start = (index: number) => {
    const events = index === 0 ? ['--events'] : [];
    const port = ['--port', String(ports[index])];
    return serveProcess(['--database', database.url, '--log-level', 'fatal', ...port, ...events], {
      PLANTSTORE_TOKEN: token,
    });
  };
  const services: ServiceProcess[] = [await start(0)];
  services.push(await start(1));
  const clients = services.map(({ url }) => createClient(url, token));
  const readers = clients.slice(0, 1);
  let isOver = false;
  let changes = 0;
  const seen: Seen = new Map();
  try {
    const writers = Array.from({ length: WRITERS }, () =>
      changePlants(
        clients,
        () => isOver,
        () => changes++,
      ),
    );
    let isRead = false;
    const reading = follow(readers, seen, () => isRead);
    for (let kill = 0; kill < KILLS; kill++) {
      const enough = changes + CHANGES;
      while (changes < enough) await sleep(5);
      const index = kill % 2;
      await services[index]?.stop('SIGKILL');
      services[index] = await start(index);
    }
    isOver = true;
    await Promise.all(writers);
    isRead = true;
    await reading;

    assert.ok(seen.size > KILLS * CHANGES, `${seen.size} events`);
    await assertExact(seen, readers[0] as Client);
  } finally {
    isOver = true;
    for (const client of clients) client.close();
    await Promise.all(services.map((service) => service.stop('SIGTERM')));
  }
});

test('the events of one plant are exact although many clients create, replace and delete it at once', async () => {
  await using service = await startTestService({ events: true });
  const { client } = service;
  let changes = 0;
  const seen: Seen = new Map();
  const isOver = () => changes >= CONTESTED;
  const write = () => changePlants([client], isOver, () => changes++, 1);
  await Promise.all(Array.from({ length: 16 }, write));
  await follow([client], seen, () => true);
  await assertExact(seen, client);
});
