/**
 * `node lab/bench/sweep.ts` measures how fast the service deletes many expired sandboxes, and how long other clients
 * wait meanwhile, at half of the rate that the service can reach.
 */

import { join } from 'node:path';
import { readCommandLine } from '../../scripts/command-line.ts';
import { hashToken } from '../../src/auth/token.ts';
import { sandboxRecords } from '../../src/features/sandbox/sandbox-records.ts';
import { withEngine } from '../../src/stores/open.ts';
import { inDirectory, onServer } from './checkout.ts';
import { atFullLoad } from './measure.ts';
import { say } from './report.ts';
import { plantStore, ROOT } from './servers.ts';
import { CONNECTIONS, load, requireWrk } from './wrk.ts';

const { values } = readCommandLine(import.meta.filename, {
  options: {
    seconds: { type: 'string', default: '5' },
    sandboxes: { type: 'string', default: '10000' },
    plants: { type: 'string', default: '100' },
  },
});
requireWrk();
const many = Number(values.sandboxes);
const each = Number(values.plants);
const seconds = Number(values.seconds);
const HOUR = 3_600_000;
/** Ids far from those of the sandboxes' plants. */
const WORKLOAD = { request: 'create', ids: 'random' } as const;

await inDirectory(async (directory) => {
  const database = `sqlite:${join(directory, 'plants.db')}`;
  await fill(database);
  let stored = 0;
  const rate = await onServer(plantStore(ROOT, database), directory, async (server) => {
    const warm = await atFullLoad(server, WORKLOAD, 0, seconds);
    const full = await atFullLoad(server, WORKLOAD, warm.requests, seconds);
    stored = warm.requests + full.requests;
    return full.rate;
  });
  const think = ((CONNECTIONS * 2) / rate) * 900;
  await onServer(plantStore(ROOT, database, ['--sandboxes', '100000']), directory, async (server) => {
    const began = performance.now();
    for (let left = many; left > 0; ) {
      const seen = await load(server.url, { ...WORKLOAD, stored, seconds, think });
      stored += seen.requests + 10 * CONNECTIONS;
      left = await countLeft(database);
      const after = ((performance.now() - began) / 1_000).toFixed(0);
      const half = `${Math.round(seen.requests / seen.seconds)} of ${Math.round(rate)} creates/s`;
      say(`after ${after} s: ${left} sandboxes left; p99 ${seen.p99.toFixed(1)} ms at ${half}`);
    }
    const quiet = await load(server.url, { ...WORKLOAD, stored, seconds, think });
    say(`without expired sandboxes: p99 ${quiet.p99.toFixed(1)} ms`);
  });
});

/** Creates expired sandboxes with plants. */
async function fill(database: string): Promise<void> {
  const plants = Array.from({ length: each }, (_, i) => ({ id: BigInt(i), name: `Aloe vera ${i}`, tag: 'succulent' }));
  const expiresAt = Date.now() - HOUR;
  await withEngine(database, 'plants', true, async ({ statements, plants: stores }) => {
    const records = sandboxRecords(statements);
    const add = async (i: number) => {
      const [id, store] = [`sandbox-${i}`, `~sandbox-${i}`];
      const rest = { address: '', plants: 'none', faults: '', createdAt: expiresAt - HOUR } as const;
      await records.add({ id, hash: hashToken(id), store, expiresAt, ...rest });
      await statements.write('INSERT INTO quotas VALUES ($1, 0, 0, 10000, 1073741824, 500)', [store]);
      await stores.replaceAll(store, plants);
    };
    for (let at = 0; at < many; at += 100) {
      await Promise.all(Array.from({ length: Math.min(100, many - at) }, (_, i) => add(at + i)));
    }
  });
  say(`${many} expired sandboxes with ${each} plants each`);
}

function countLeft(database: string): Promise<number> {
  return withEngine(database, 'read', false, async ({ statements }) => sandboxRecords(statements).count(''));
}
