import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../harness/client.ts';
import { createDirectory } from '../harness/directory.ts';
import { briefOrLong } from '../harness/long.ts';
import { runCommand, serveProcess } from '../harness/process.ts';

const ROUNDS = briefOrLong(7, 20);

test('a stop under load loses no confirmed plant, resets no accepted request, and ends with 0', async () => {
  using directory = createDirectory();
  const database = `sqlite:${directory.at('plants.db')}`;
  const confirmed: number[] = [];
  /** Requests on a connection that was closing. They count as not accepted and must not be stored. */
  const unanswered: number[] = [];
  let token: string | undefined;
  let next = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const service = await serveProcess(['--database', database]);
    token ??= service.token;
    const client = createClient(service.url, token ?? '');
    let stopped = false;
    const load = Array.from({ length: 16 }, async () => {
      while (!stopped) {
        const id = next++;
        try {
          const response = await client.send('POST', '/plants', { body: { id, name: 'Aloe' } });
          assert.equal(response.status, 200);
          confirmed.push(id);
        } catch (error) {
          if (error instanceof assert.AssertionError) throw error;
          unanswered.push(id);
          stopped = true;
        }
      }
    });
    const before = confirmed.length;
    // Each round stops at another moment.
    while (confirmed.length < before + 50) await sleep(1);
    await sleep(round % 7);
    assert.equal(await service.stop('SIGTERM'), 0);
    stopped = true;
    await Promise.all(load);
    client.close();
  }
  const { stdout } = await runCommand(['export', '--database', database]);
  const kept = new Set(stdout.split('\n').map((line) => Number(/^\{"id":(\d+)/.exec(line)?.[1])));
  for (const id of confirmed) assert.ok(kept.has(id), `plant ${id} was confirmed and is lost`);
  for (const id of unanswered) assert.ok(!kept.has(id), `plant ${id} was refused and is stored`);
});
