/**
 * `node lab/bench/sandboxes-cost.ts` compares the CPU time of a create in a sandbox with that of a create in an
 * ordinary store of the same service. `--sandboxes 10000` compares many sandboxes with as many stores, with random ids.
 * `--checkout ../other` measures the service of another checkout.
 */
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readCommandLine } from '../../scripts/command-line.ts';
import { generateToken, hashToken } from '../../src/auth/token.ts';
import { scopes } from '../../src/contract/openapi.generated.ts';
import type { Engine } from '../../src/feature.ts';
import { sandboxRecords } from '../../src/features/sandbox/sandbox-records.ts';
import { withEngine } from '../../src/stores/open.ts';
import { inDirectory, onServer } from './checkout.ts';
import { compareWays, runSeries, type Way } from './compare-ways.ts';
import { plantStore, ROOT } from './servers.ts';
import { requireWrk } from './wrk.ts';

const { values } = readCommandLine(import.meta.filename, {
  options: {
    rounds: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '1' },
    sandboxes: { type: 'string', default: '1' },
    plants: { type: 'string', default: '100' },
    checkout: { type: 'string', default: ROOT },
  },
});
requireWrk();
const many = Number(values.sandboxes);
const seconds = Number(values.seconds);
const DAY = 86_400_000;
const OPTIONS = ['--sandboxes', '1000000', '--sandboxes-per-address', '1000000'];
/** A store or sandbox begins with these. */
const PLANTS = Array.from({ length: Number(values.plants) }, (_, i) => ({
  id: BigInt(i) - 2n ** 62n,
  name: `Aloe vera ${i}`,
  tag: 'succulent',
}));

await inDirectory(async (directory) => {
  const database = `sqlite:${join(directory, 'plants.db')}`;
  const [sandboxes, stores] = await withEngine(database, 'plants', true, async (engine) => [
    await fill(join(directory, 'sandboxes'), 'pss_', addSandbox(engine)),
    await fill(join(directory, 'stores'), 'pst_', addStore(engine)),
  ]);
  await onServer(plantStore(resolve(values.checkout), database, OPTIONS), directory, async (server) => {
    const way = (name: string, tokens = ''): Way => {
      return { name, server, tokens: [tokens], ids: many === 1 ? 'sequential' : 'random', stored: 0 };
    };
    const ways = [way('in a sandbox', sandboxes), way('in a store', stores)] as const;
    // The first use of a token in a process fills the cache.
    for (const one of ways) while (one.stored < many) await runSeries(one, seconds);
    await compareWays(ways, { rounds: Number(values.rounds), seconds });
  });
});

/** Adds stores or sandboxes. Returns the name of the file with their tokens, as load.lua reads it. */
async function fill(path: string, prefix: string, add: (token: string, i: number) => Promise<void>): Promise<string> {
  const tokens = Array.from({ length: many }, () => generateToken(prefix));
  writeFileSync(path, tokens.join('\n'));
  for (let at = 0; at < many; at += 100) {
    await Promise.all(tokens.slice(at, at + 100).map((token, i) => add(token, at + i)));
  }
  return `@${path}`;
}

function addStore({ tokens, plants }: Engine) {
  return async (token: string, i: number) => {
    const name = `store-${i}`;
    const times = { createdAt: Date.now(), expiresAt: undefined, revokedAt: undefined };
    await tokens.add({ hash: hashToken(token), name, store: name, scopes, ...times });
    await plants.createMany(name, PLANTS);
  };
}

/** The quota of a sandbox is higher than usual, so that many plants fit. */
function addSandbox({ statements, plants }: Engine) {
  const records = sandboxRecords(statements);
  return async (token: string, i: number) => {
    const name = `~sandbox-${i}`;
    const times = { createdAt: Date.now(), expiresAt: Date.now() + DAY };
    const rest = { address: '', plants: 'none', faults: '' } as const;
    await records.add({ id: `sandbox-${i}`, hash: hashToken(token), store: name, ...times, ...rest });
    await statements.write('INSERT INTO quotas VALUES ($1, 0, 0, 1000000000, 1099511627776, 500)', [name]);
    await plants.replaceAll(name, PLANTS);
  };
}
