/**
 * `node bench/postgres.ts`: creates a second through the service on PostgreSQL, against one row a statement through pg
 * directly, both with 64 connections, interleaved on one server with its default durability; medians with spread.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { createSchema, startPostgres } from '../test/harness/postgres.ts';
import { plantStoreOn } from './contenders.ts';
import { withSpread } from './format.ts';
import { randomId } from './ids.ts';
import { start } from './servers.ts';
import { CONNECTIONS, loader } from './session.ts';
import { spread } from './statistics.ts';

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5);
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 3);

const server = await startPostgres();
const schema = await createSchema(server.url);
const directory = mkdtempSync(join(tmpdir(), 'plantstore-bench-'));
const service = await start(plantStoreOn('Plant Store on PostgreSQL', schema.url), directory);
const run = loader(service, { request: 'create', ids: 'random', stored: 0 });
const clients = Array.from({ length: CONNECTIONS }, () => new pg.Client({ connectionString: schema.url }));
await Promise.all(clients.map((client) => client.connect()));
let count = 0;

/** One row a statement, prepared once a connection; the ids spread as those of the load through the service. */
async function direct(seconds: number): Promise<number> {
  const before = count;
  const start = performance.now();
  const end = start + seconds * 1_000;
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() < end) {
        const index = count++;
        await client.query({
          name: 'one-row',
          text: `INSERT INTO plants (store, id, name, tag, tag_digest, version) VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT (store, id) DO NOTHING RETURNING id`,
          values: ['direct', randomId(index), `Aloe vera ${index}`, 'succulent', 1, index],
        });
      }
    }),
  );
  return ((count - before) * 1_000) / (performance.now() - start);
}

async function through(seconds: number): Promise<number> {
  const { requests, seconds: time } = await run(seconds);
  return requests / time;
}

try {
  await direct(1);
  await through(1);
  const rounds: { readonly direct: number; readonly through: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push({ direct: await direct(SECONDS), through: await through(SECONDS) });
  }
  console.log(`creates a second with ${CONNECTIONS} connections, median (lowest–highest) of ${ROUNDS} rounds`);
  console.log(`  through the service:            ${withSpread(spread(rounds.map((one) => one.through)))}`);
  console.log(`  one row a statement through pg: ${withSpread(spread(rounds.map((one) => one.direct)))}`);
  console.log(`  ratio:                          ${withSpread(spread(rounds.map((one) => one.through / one.direct)))}`);
} finally {
  await Promise.all(clients.map((client) => client.end()));
  await service.stop();
  rmSync(directory, { recursive: true });
}
await schema[Symbol.asyncDispose]();
await server.remove();
process.exit();
