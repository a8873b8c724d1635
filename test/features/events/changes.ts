/** Changes plants at random, follows the feed meanwhile, and compares the two. */
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../harness/client.ts';
import { cursorIn, pageOf, type ReadEvent } from './reader.ts';

/** The events that a reader has seen, by their numbers. */
export type Seen = Map<number, ReadEvent>;

/** Sends random writes of few plants to random processes until `isOver`. Processes, and nodes, may be down. */
export async function changePlants(
  clients: readonly Client[],
  isOver: () => boolean,
  onChange: () => void,
  plants = 40,
): Promise<void> {
  while (!isOver()) {
    const client = clients[randomInt(clients.length)] as Client;
    const id = randomInt(plants);
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

/** Follows the feed until `isOver`, and sometimes begins again at an earlier cursor, as after a restart. */
export async function follow(clients: readonly Client[], seen: Seen, isOver: () => boolean): Promise<void> {
  let target = '/events?limit=100';
  const saved = [target];
  for (;;) {
    const wasOver = isOver();
    try {
      const client = clients[randomInt(clients.length)] as Client;
      const response = await client.send('GET', target);
      if (response.status === 503) {
        await sleep(20);
        continue;
      }
      const { events, next } = pageOf(response);
      for (const event of events) {
        assert.deepEqual(event, seen.get(event.sequence) ?? event, 'an event is the same each time');
        seen.set(event.sequence, event);
      }
      if (wasOver && events.length === 0) return;
      saved.push(next);
      const isResumed = !wasOver && randomInt(10) === 0;
      const from = isResumed ? (saved[randomInt(1, saved.length)] as string) : next;
      target = `/events?after=${cursorIn(from)}&limit=${randomInt(1, 101)}`;
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      await sleep(20);
    }
  }
}

/** Checks that the events have no gap, and that applying them in their order gives the plants of the store. */
export async function assertExact(seen: Seen, client: Client): Promise<void> {
  const sequences = [...seen.keys()].sort((a, b) => a - b);
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
  assert.deepEqual(new Map([...plants].sort()), new Map([...(await contents(client))].sort()));
}

async function contents(client: Client): Promise<ReadonlyMap<string, string>> {
  const response = await client.send('GET', '/plants?limit=1000');
  const plants = response.json() as { id: number; name: string; tag?: string }[];
  return new Map(plants.map(({ id, name, tag }) => [String(id), JSON.stringify([name, tag])]));
}
