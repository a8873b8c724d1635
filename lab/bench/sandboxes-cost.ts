/**
 * `node lab/bench/sandboxes-cost.ts` measures the cost of sandboxes. It compares creating plants in many sandboxes with
 * creating plants in as many stores of a service without sandboxes. It also measures other clients while a fault delays
 * many requests. `--no-delays` leaves this out. A short run:
 * `node lab/bench/sandboxes-cost.ts --no-delays --rounds 3 --seconds 2 --sandboxes 1000`
 */
import { writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { readCommandLine } from '../../scripts/command-line.ts';
import { generateToken, hashToken } from '../../src/auth/token.ts';
import { scopes } from '../../src/contract/openapi.generated.ts';
import type { Engine } from '../../src/feature.ts';
import { sandboxRecords } from '../../src/features/sandbox/sandbox-records.ts';
import { withEngine } from '../../src/stores/open.ts';
import { inDirectory, onServer } from './checkout.ts';
import { atFullLoad, atHalfLoad } from './measure.ts';
import { plantStore, ROOT, type Server } from './servers.ts';
import { load } from './wrk.ts';

const { values } = readCommandLine(import.meta.filename, {
  allowNegative: true,
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    sandboxes: { type: 'string', default: '10000' },
    plants: { type: 'string', default: '100' },
    delays: { type: 'boolean', default: true },
  },
});
const many = Number(values.sandboxes);
const each = Number(values.plants);
const seconds = Number(values.seconds);
const rounds = Number(values.rounds);
const DAY = 86_400_000;
/** Requests that wait while other requests are measured. */
const WAITING = 1_000;
const SANDBOXES = ['--sandboxes', '1000000', '--sandboxes-per-address', '1000000', '--sandbox-plants', '10000'];

const median = (list: readonly number[]) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? Number.NaN;
const say = (text: string) => process.stdout.write(`${text}\n`);

interface Side {
  readonly name: string;
  readonly directory: string;
  readonly options: readonly string[];
  stored: number;
  readonly rates: number[];
  readonly cpus: number[];
}

await inDirectory((with_) =>
  inDirectory(async (without) => {
    const sides: Side[] = [
      { name: 'in sandboxes', directory: with_, options: SANDBOXES, stored: 0, rates: [], cpus: [] },
      { name: 'in stores', directory: without, options: [], stored: 0, rates: [], cpus: [] },
    ];
    for (const side of sides) await fill(side);
    for (let round = 0; round < rounds; round++) {
      for (const side of round % 2 === 0 ? sides : sides.toReversed()) await measureCreates(side);
    }
    const [one, other] = sides as [Side, Side];
    const ratios = (of: 'cpus' | 'rates') => one[of].map((value, i) => value / (other[of][i] ?? Number.NaN));
    const shown = (list: readonly number[]) =>
      `${median(list).toFixed(2)} (${Math.min(...list).toFixed(2)}–${Math.max(...list).toFixed(2)})`;
    say(
      'a create in a sandbox divided by one in a store: ' +
        `CPU ${shown(ratios('cpus'))}, creates/s ${shown(ratios('rates'))}`,
    );
    if (!values.delays) return;
    await onServer(plantStore(ROOT, databaseOf(one), SANDBOXES), one.directory, measureDelays);
  }),
);

function databaseOf({ directory }: Side): string {
  return `sqlite:${join(directory, 'plants.db')}`;
}

async function fill(side: Side): Promise<void> {
  const tokens = Array.from({ length: many }, () => generateToken(side.options.length > 0 ? 'pss_' : 'pst_'));
  writeFileSync(join(side.directory, 'tokens'), tokens.join('\n'));
  await withEngine(databaseOf(side), 'plants', true, async (engine) => {
    const add = side.options.length > 0 ? addSandbox(engine) : addStore(engine);
    for (let at = 0; at < many; at += 100) {
      await Promise.all(tokens.slice(at, at + 100).map((token, i) => add(token, at + i)));
    }
  });
  say(`${many} × ${each} plants ${side.name}`);
}

/** The plants of each store. */
function plants() {
  return Array.from({ length: each }, (_, i) => ({
    id: BigInt(i) - 2n ** 62n,
    name: `Aloe vera ${i}`,
    tag: 'succulent',
  }));
}

function addStore({ tokens, plants: store }: Engine) {
  return async (token: string, i: number) => {
    const name = `store-${i}`;
    const times = { createdAt: Date.now(), expiresAt: undefined, revokedAt: undefined };
    await tokens.add({ hash: hashToken(token), name, store: name, scopes, ...times });
    await store.createMany(name, plants());
  };
}

function addSandbox({ statements, plants: store }: Engine) {
  const records = sandboxRecords(statements);
  return async (token: string, i: number) => {
    const name = `~sandbox-${i}`;
    const times = { createdAt: Date.now(), expiresAt: Date.now() + DAY };
    const rest = { address: '', plants: 'none', faults: '' } as const;
    await records.add({ id: `sandbox-${i}`, hash: hashToken(token), store: name, ...times, ...rest });
    await statements.write('INSERT INTO quotas VALUES ($1, 0, 0, 10000, 1073741824, 500)', [name]);
    await store.replaceAll(name, plants());
  };
}

async function measureCreates(side: Side): Promise<void> {
  const tokens = [`@${join(side.directory, 'tokens')}`];
  const workload = { request: 'create', ids: 'random', tokens } as const;
  await onServer(plantStore(ROOT, databaseOf(side), side.options), side.directory, async (server) => {
    // Warms up until each sandbox was used: the first use in a process fills the cache.
    for (let warm = 0; warm < many; ) {
      const { requests } = await atFullLoad(server, workload, side.stored, seconds);
      warm += requests;
      side.stored += requests;
    }
    const full = await atFullLoad(server, workload, side.stored, seconds);
    side.stored += full.requests;
    side.rates.push(full.rate);
    side.cpus.push(full.cpu);
    say(`${side.name}: ${Math.round(full.cpu)} µs of CPU, ${Math.round(full.rate)} creates/s`);
  });
}

/** Measures the latency at the same load, alone and while other requests wait for 30 s each. */
async function measureDelays(server: Server): Promise<void> {
  const workload = { request: 'create', ids: 'random' } as const;
  const { rate } = await atFullLoad(server, workload, 0, seconds);
  const ratios: number[] = [];
  const { token } = (await (
    await fetch(`${server.url}/sandboxes`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{}',
    })
  ).json()) as { readonly token: string };
  for (let round = 0; round < rounds; round++) {
    const stored = (round + 1) * 1_000_000;
    const alone = await atHalfLoad(server, workload, stored, rate, seconds);
    const stop = wait(server.url, token);
    await load(server.url, { ...workload, stored: stored + 400_000, seconds: 1 });
    const beside = await atHalfLoad(server, workload, stored + 500_000, rate, seconds);
    stop();
    ratios.push(beside / alone);
    say(`p99 ${alone.toFixed(1)} ms alone, ${beside.toFixed(1)} ms with ${WAITING} waiting requests`);
  }
  say(`p99 with ${WAITING} waiting requests divided by p99 without: ${median(ratios).toFixed(2)}`);
}

function wait(url: string, token: string): () => void {
  const headers = { Authorization: `Bearer ${token}`, Fault: 'delay;ms=30000' };
  const requests = Array.from({ length: WAITING }, () =>
    get(`${url}/plants`, { headers, agent: false }).on('error', () => undefined),
  );
  return () => {
    for (const request of requests) request.destroy();
  };
}
