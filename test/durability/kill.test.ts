/** Plants that were confirmed with 200 survive kill -9 of the process, round after round, on one file. */
import assert from 'node:assert/strict';
import { randomBytes, randomInt } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateToken } from '../../src/auth/token.ts';
import { type Client, createClient } from '../harness/client.ts';
import { createDirectory } from '../harness/directory.ts';
import { briefOrLong } from '../harness/long.ts';
import { runHere, type ServiceProcess, serveProcess } from '../harness/process.ts';

/** `npm run proof` chooses the number of rounds. */
const ROUNDS = Number(process.env['KILL_ROUNDS'] ?? briefOrLong(4, 20));
const WRITERS = 64;
const token = generateToken();

interface Sent {
  readonly id: bigint;
  readonly name: string;
  readonly tag: string;
}

function makePlant(tag: string): Sent {
  const name = `${randomBytes(randomInt(40)).toString('base64')} \u{1F331}${'\n"\\é'.repeat(randomInt(20))}`;
  return { id: randomBytes(8).readBigInt64BE(), name, tag };
}

/** Creates plants one after another until the service has ended. */
async function write(client: Client, tag: string, sent: Map<bigint, Sent>, confirmed: Set<bigint>): Promise<void> {
  for (;;) {
    const plant = makePlant(tag);
    sent.set(plant.id, plant);
    try {
      const response = await client.send('POST', '/plants', { body: plant });
      assert.equal(response.status, 200, response.text);
      confirmed.add(plant.id);
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      return;
    }
  }
}

/** Lists every plant of a tag. */
async function listed(client: Client, tag: string): Promise<Sent[]> {
  const plants: Sent[] = [];
  let target: string | undefined = `/plants?limit=1000&tag=${tag}`;
  while (target !== undefined) {
    const response = await client.send('GET', target);
    plants.push(...(response.json() as Sent[]).map((plant) => ({ ...plant, id: BigInt(plant.id) })));
    target = /^<(.*)>; rel="next"$/.exec(String(response.headers['link'] ?? ''))?.[1];
  }
  return plants;
}

test(`no plant confirmed with 200 is lost by kill -9 under ${WRITERS} writers, ${ROUNDS} times`, async (t) => {
  using directory = createDirectory();
  const path = directory.at('plants.db');
  const start = () =>
    serveProcess(['--database', `sqlite:${path}`, '--log-level', 'warn'], { PLANTSTORE_TOKEN: token });
  const stores = new Map<string, Sent[]>();
  let confirmedInAll = 0;
  let service: ServiceProcess = await start();
  try {
    for (let round = 1; round <= ROUNDS; round++) {
      const tag = `round-${round}`;
      const sent = new Map<bigint, Sent>();
      const confirmed = new Set<bigint>();
      const client = createClient(service.url, token);
      const writers = Array.from({ length: WRITERS }, () => write(client, tag, sent, confirmed));
      const enough = 100 + randomInt(400);
      while (confirmed.size < enough) await sleep(1 + randomInt(5));
      assert.equal(await service.stop('SIGKILL'), null);
      await Promise.all(writers);
      client.close();

      service = await start();
      const reader = createClient(service.url, token);
      const there = await listed(reader, tag);
      reader.close();
      assert.equal((await runHere(['check', '--database', `sqlite:${path}`])).code, 0);
      const ids = new Set(there.map(({ id }) => id));
      for (const id of confirmed) assert.ok(ids.has(id), `plant ${id} was lost in round ${round}`);
      for (const plant of there) assert.deepEqual(plant, sent.get(plant.id), `altered in round ${round}`);
      stores.set(tag, there);
      confirmedInAll += confirmed.size;
    }
    t.diagnostic(`${ROUNDS} kills of the service`);
    t.diagnostic(`${confirmedInAll} confirmed plants`);
    const client = createClient(service.url, token);
    for (const [tag, plants] of stores) assert.deepEqual(await listed(client, tag), plants, 'changed by a later round');
    client.close();
  } finally {
    await service.stop('SIGTERM');
  }
});
