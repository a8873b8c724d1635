/** Writes through a running service until a checkpoint moves its write-ahead log into the file. */
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import type { Client } from './client.ts';
import { LONG_NAME } from './scattered.ts';

export async function outgrowLog(client: Client, path: string): Promise<void> {
  for (let first = 1_000; statSync(path).size < 2 ** 20; first += 100) {
    assert.ok(first < 20_000, 'no checkpoint happens');
    const bodies = Array.from({ length: 100 }, (_, i) => ({ id: first + i, name: LONG_NAME }));
    await Promise.all(bodies.map((body) => client.send('POST', '/plants', { body })));
  }
}
