/** Writes so much through a running service that its log has to be merged into the file, and waits until it is. */
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from './client.ts';

const PLANTS = 6_000;
const AT_ONCE = 100;
const MERGED_BYTES = 4 * 2 ** 20;
const PATIENCE_MS = 10_000;

export async function outgrowLog(client: Client, path: string): Promise<void> {
  // Random ids and long names: nearly every plant writes a page of its own.
  for (let first = 0; first < PLANTS; first += AT_ONCE) {
    const ids = Array.from({ length: AT_ONCE }, (_, i) => BigInt.asIntN(64, BigInt(first + i) * 0x9e3779b97f4a7c15n));
    const name = 'x'.repeat(900);
    const answers = await Promise.all(ids.map((id) => client.send('POST', '/plants', { body: { id, name } })));
    assert.ok(answers.every(({ status }) => status === 200));
  }
  const deadline = Date.now() + PATIENCE_MS;
  while (statSync(path).size < MERGED_BYTES && Date.now() < deadline) await sleep(50);
  assert.ok(statSync(path).size >= MERGED_BYTES, 'the file has what was written');
}
