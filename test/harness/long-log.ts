/** Writes so much through a running service that its log has to be merged into the file, and waits until it is. */
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from './client.ts';
import { LONG_NAME, scatteredId } from './scattered.ts';

const PLANTS = 6_000;
const AT_ONCE = 100;
const MERGED_BYTES = 4 * 2 ** 20;
const PATIENCE_MS = 10_000;

export async function outgrowLog(client: Client, path: string): Promise<void> {
  for (let first = 0; first < PLANTS; first += AT_ONCE) {
    const bodies = Array.from({ length: AT_ONCE }, (_, i) => ({ id: scatteredId(first + i), name: LONG_NAME }));
    const responses = await Promise.all(bodies.map((body) => client.send('POST', '/plants', { body })));
    assert.ok(responses.every(({ status }) => status === 200));
  }
  const deadline = Date.now() + PATIENCE_MS;
  while (statSync(path).size < MERGED_BYTES && Date.now() < deadline) await sleep(50);
  assert.ok(statSync(path).size >= MERGED_BYTES, 'the file has what was written');
}
