/** `npm run bench`: CPU a create and creates a second, side by side, interleaved and repeated; medians with spread. */
import { type Figures, measure } from './load.ts';
import { bareNode, plantStore, type Server, withoutStore } from './servers.ts';

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5);
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 3);
const CONNECTIONS = [16, 64, 256];

const servers: Server[] = [await bareNode(), await withoutStore(), await plantStore()];
let from = 0;
/** More ids than one run can use up. */
const ID_SPAN = 2_000_000;

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;
}

function spread(values: readonly number[]): string {
  const digits = median(values) < 1_000 ? 1 : 0;
  const text = (value: number) => value.toFixed(digits);
  return `${text(median(values))} (${text(Math.min(...values))}–${text(Math.max(...values))})`;
}

async function run(server: Server, connections: number, seconds: number): Promise<Figures> {
  from += ID_SPAN;
  return measure(server, { connections, seconds, ids: 'sequential', from });
}

console.log(
  '| connections | server | CPU µs a create | creates a second | p50 ms | p99 ms | CPU ratio to the one without a store |',
);
console.log('| --- | --- | --- | --- | --- | --- | --- |');
for (const connections of CONNECTIONS) {
  for (const server of servers) await run(server, connections, 2);
  const figures = new Map(servers.map((server) => [server, [] as Figures[]]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const server of servers) figures.get(server)?.push(await run(server, connections, SECONDS));
  }
  const base = figures.get(servers[1] as Server) as Figures[];
  for (const [server, all] of figures) {
    const ratios = all.map((one, i) => one.cpuPerRequest / (base[i]?.cpuPerRequest ?? Number.NaN));
    const of = (key: keyof Figures) => spread(all.map((one) => one[key]));
    const cells = [connections, server.name, of('cpuPerRequest'), of('requestsPerSecond'), of('p50'), of('p99')];
    console.log(`| ${[...cells, median(ratios).toFixed(2)].join(' | ')} |`);
  }
}
for (const server of servers) {
  console.log(`Peak memory of ${server.name}: ${server.peakMemory().toFixed(0)} MiB`);
  await server.stop();
}
