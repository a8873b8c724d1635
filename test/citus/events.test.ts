/** The feed has exactly the committed changes on a Citus cluster that loses workers. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertExact, changePlants, follow, type Seen } from '../features/events/changes.ts';
import { readPage } from '../features/events/reader.ts';
import { createDistributed, type Node, startNode, stopNode, urlOf } from '../harness/citus.ts';
import { type Client, createClient } from '../harness/client.ts';
import { type Schema, sharedPostgres } from '../harness/postgres.ts';
import { serveProcess } from '../harness/process.ts';

const STORES = 12;
/** Writers of each store. */
const WRITERS = 6;
const KILLS = 6;
/** Changes before each kill. */
const CHANGES = 500;

describe('the events of a Citus cluster', () => {
  const server = sharedPostgres();
  let schema: Schema;
  /** One token for each store. */
  let tokens: readonly string[];
  before(async () => {
    ({ schema, tokens } = await createDistributed(server, STORES));
  });
  after(() => schema[Symbol.asyncDispose]());

  const start = (node: Node, ...options: string[]) =>
    serveProcess(['--log-level', 'fatal', ...options], { DATABASE_URL: urlOf(schema.url, node) });

  test('replicas on every node write events as soon as one replica has turned them on', async () => {
    await using onWorker = await start('w1');
    const [token = ''] = tokens;
    const worker = createClient(onWorker.url, token);
    const create = (id: number) => worker.send('POST', '/plants', { body: { id, name: 'Aloe' } });
    // Opens all sessions of the replica.
    await Promise.all(Array.from({ length: 50 }, (_, id) => create(id)));
    await using onCoordinator = await start('coord', '--events');
    const reader = createClient(onCoordinator.url, token);
    const made = await Promise.all(Array.from({ length: 50 }, (_, id) => create(1_000 + id)));
    const { events } = await readPage(reader, '/events?limit=250');
    assert.equal(events.length, made.filter(({ status }) => status === 200).length);
    await worker.send('DELETE', '/plants/1000');
    worker.close();
    reader.close();
  });

  test(`the events are exactly the changes under ${STORES * WRITERS} writers and ${KILLS} killed workers`, async () => {
    await using first = await start('coord', '--events');
    await using second = await start('coord');
    const stores = tokens.slice(1).map((token) => [first, second].map(({ url }) => createClient(url, token)));
    let isOver = false;
    let isRead = false;
    let changes = 0;
    const onChange = () => changes++;
    const write = (clients: readonly Client[]) =>
      Array.from({ length: WRITERS }, () => changePlants(clients, () => isOver, onChange));
    const feeds = stores.map((clients) => ({ reader: clients[0] as Client, seen: new Map() as Seen }));
    try {
      const writing = stores.flatMap(write);
      const reading = feeds.map(({ reader, seen }) => follow([reader], seen, () => isRead));
      for (let kill = 0; kill < KILLS; kill++) {
        const victim = kill % 2 === 0 ? 'w1' : 'w2';
        const enough = changes + CHANGES;
        while (changes < enough) await sleep(5);
        await stopNode(victim, '-m', 'immediate');
        await sleep(150);
        await startNode(victim);
      }
      isOver = true;
      await Promise.all(writing);
      isRead = true;
      await Promise.all(reading);
      for (const { reader, seen } of feeds) await assertExact(seen, reader);
      assert.ok(feeds.reduce((sum, { seen }) => sum + seen.size, 0) > KILLS * CHANGES);
    } finally {
      isOver = true;
      isRead = true;
      for (const client of stores.flat()) client.close();
    }
  });
});
