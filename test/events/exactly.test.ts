/** The feed has exactly the committed changes, also if processes are killed while they write. */
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateToken } from '../../src/auth/token.ts';
import { type Client, createClient } from '../harness/client.ts';
import { createDatabase } from '../harness/database.ts';
import { freePort } from '../harness/free-port.ts';
import { type ServiceProcess, serveProcess } from '../harness/process.ts';
import { cursorIn, type ReadEvent, readPage } from './reader.ts';

const WRITERS = 64;
const IDS = 40;
const KILLS = Number(process.env['KILL_ROUNDS'] ?? 2);
/** Changes between two kills. */
const CHANGES = 100;

const token = generateToken();

/** Sends random writes to random processes until `isOver`. A process may be down. */
async function write(clients: readonly Client[], isOver: () => boolean, onChange: () => void): Promise<void> {
  while (!isOver()) {
    const client = clients[randomInt(clients.length)] as Client;
    const id = randomInt(IDS);
    const path = `/plants/${id}`;
    const body = { name: `plant ${randomInt(3)}`, ...(randomInt(2) === 0 && { tag: `tag ${randomInt(3)}` }) };
    try {
      const kind = randomInt(4);
      let done = await client.send('POST', '/plants', { body: { id, ...body } });
      if (kind === 1) done = await client.send('PUT', path, { body });
      else if (kind === 2) done = await client.send('DELETE', path);
      else if (kind === 3) {
        const { etag } = (await client.send('GET', path)).headers;
        if (etag !== undefined) done = await client.send('PUT', path, { body, headers: { 'If-Match': etag } });
      }
      if (done.status < 300) onChange();
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      await sleep(20);
    }
  }
}

/** Follows the feed, and sometimes begins again at an earlier cursor, as after a restart. Keeps each event once. */
async function follow(clients: readonly Client[], seen: Map<number, ReadEvent>, isOver: () => boolean): Promise<void> {
  let target = '/events?limit=100';
  const saved = [target];
  for (;;) {
    const wasOver = isOver();
    try {
      const client = clients[randomInt(clients.length)] as Client;
      const { events, next } = await readPage(client, target);
      for (const event of events) {
        assert.deepEqual(event, seen.get(event.sequence) ?? event, 'an event is the same each time');
        seen.set(event.sequence, event);
      }
      if (wasOver && events.length === 0) return;
      saved.push(next);
      const isResumed = !wasOver && randomInt(10) === 0;
      target = `/events?after=${cursorIn(isResumed ? (saved[randomInt(1, saved.length)] as string) : next)}&limit=${randomInt(1, 101)}`;
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      await sleep(20);
    }
  }
}

async function contents(client: Client): Promise<ReadonlyMap<string, string>> {
  const response = await client.send('GET', '/plants?limit=1000');
  const plants = response.json() as { id: number; name: string; tag?: string }[];
  return new Map(plants.map(({ id, name, tag }) => [String(id), JSON.stringify([name, tag])]));
}

test(`the events are exactly the changes under ${WRITERS} writers, ${KILLS} kills, and a reader that stops`, async () => {
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
  const seen = new Map<number, ReadEvent>();
  try {
    const writers = Array.from({ length: WRITERS }, () =>
      write(
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

    const sequences = [...seen.keys()].sort((a, b) => a - b);
    assert.ok(sequences.length > KILLS * CHANGES, `${sequences.length} events`);
    assert.deepEqual(
      sequences,
      sequences.map((_, i) => i + 1),
      'there is no gap',
    );
    const plants = new Map<string, string>();
    for (const sequence of sequences) {
      const { type, data } = seen.get(sequence) as ReadEvent;
      const before = plants.get(String(data.id));
      const now = JSON.stringify([data.name, data.tag]);
      if (type === 'plant.created') assert.equal(before, undefined, `${sequence}`);
      if (type === 'plant.deleted') assert.equal(before, now, `${sequence}`);
      if (type === 'plant.replaced') {
        assert.equal(before, JSON.stringify([data.previousName, data.previousTag ?? undefined]), `${sequence}`);
      }
      if (type === 'plant.deleted') plants.delete(String(data.id));
      else plants.set(String(data.id), now);
    }
    const stored = await contents(readers[0] as Client);
    assert.deepEqual(new Map([...plants].sort()), new Map([...stored].sort()));
  } finally {
    isOver = true;
    for (const client of clients) client.close();
    await Promise.all(services.map((service) => service.stop('SIGTERM')));
  }
});
