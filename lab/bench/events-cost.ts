/**
 * `node lab/bench/events-cost.ts` measures, side by side, a service with events against one without, and then creating
 * plants with open streams of events against creating them without. Both servers run all the time, and short series
 * alternate. `--database postgres` uses the embedded PostgreSQL.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readCommandLine } from '../../scripts/command-line.ts';
import { addTokens } from '../../test/harness/citus.ts';
import { createSchema, startPostgres } from '../../test/harness/postgres.ts';
import { inDirectory, onServer } from './checkout.ts';
import { spread } from './figures.ts';
import { atFullLoad } from './measure.ts';
import { plantStore, ROOT, type Server } from './servers.ts';

const { values } = readCommandLine(import.meta.filename, {
  options: {
    database: { type: 'string', default: 'sqlite' },
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '2' },
    streams: { type: 'string', default: '1000' },
  },
});
const [rounds, seconds, streams] = [Number(values.rounds), Number(values.seconds), Number(values.streams)];

/** The number of plants that each server has. */
const stored = new Map<Server, number>();

const postgres = values.database === 'postgres' ? await startPostgres() : undefined;
try {
  await inDirectory(async (directory) => {
    await using plain = await database(join(directory, 'plain.db'));
    await using eventful = await database(join(directory, 'events.db'));
    const [token = ''] = await addTokens(eventful.url, 1);
    await onServer(plantStore(ROOT, plain.url), directory, (without) =>
      onServer(plantStore(ROOT, eventful.url, ['--events']), directory, async (withEvents) => {
        await compare('writing events', [without, 'without'], [withEvents, 'with']);
        await compareStreams(withEvents, token);
      }),
    );
  });
} finally {
  await postgres?.remove();
}
process.exit();

async function database(path: string): Promise<AsyncDisposable & { readonly url: string }> {
  if (postgres !== undefined) return createSchema(postgres.url);
  return { url: `sqlite:${path}`, [Symbol.asyncDispose]: async () => undefined };
}

async function create(server: Server) {
  const before = stored.get(server) ?? 0;
  const full = await atFullLoad(server, { request: 'create', ids: 'random' }, before, seconds);
  stored.set(server, before + full.requests);
  return full;
}

type Named = readonly [server: Server, name: string];

/** Alternates between two servers. The first round of each only warms up. */
async function compare(what: string, base: Named, other: Named): Promise<void> {
  const [cpu, rate]: [number[], number[]] = [[], []];
  for (let round = 0; round <= rounds; round++) {
    const seen = [];
    for (const [server] of [base, other]) seen.push(await create(server));
    const [one, two] = seen;
    if (round === 0 || one === undefined || two === undefined) continue;
    cpu.push(two.cpu / one.cpu);
    rate.push(two.rate / one.rate);
    const show = ({ cpu, rate }: typeof one) => `${Math.round(rate)}/s, ${cpu.toFixed(1)} µs`;
    console.log(`round ${round}: ${base[1]} ${show(one)}; ${other[1]} ${show(two)}`);
  }
  const show = (ratios: readonly number[]) => {
    const { median, low, high } = spread(ratios);
    return `${median.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`;
  };
  console.log(`${what}: CPU time of the service ${show(cpu)}, creates per second ${show(rate)}`);
}

/** The streams are of a store in which nothing changes. They are open in every second series. */
async function compareStreams(server: Server, token: string): Promise<void> {
  const ratios: number[] = [];
  const memory: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const without = await create(server);
    const before = server.memory();
    const sockets = await openStreams(server, token);
    memory.push(server.memory() - before);
    const beside = await create(server);
    ratios.push(beside.rate / without.rate);
    console.log(`round ${round + 1}: ${Math.round(without.rate)}/s; beside the streams ${Math.round(beside.rate)}/s`);
    for (const socket of sockets) socket.destroy();
    await sleep(500);
  }
  const [rate, most] = [spread(ratios), spread(memory)];
  console.log(
    `${streams} open streams: creates per second ${rate.median.toFixed(2)} (${rate.low.toFixed(2)} to ` +
      `${rate.high.toFixed(2)}), memory ${Math.round(most.median)} MB (at most ${Math.round(most.high)})`,
  );
}

async function openStreams({ url }: Server, token: string): Promise<readonly Socket[]> {
  const { hostname, port } = new URL(url);
  const head = `GET /events?after=latest HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${token}\r\n`;
  return Promise.all(
    Array.from({ length: streams }, async () => {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => undefined);
      socket.write(`${head}Accept: text/event-stream\r\n\r\n`);
      const [first] = (await once(socket, 'data')) as [Buffer];
      if (!first.toString().startsWith('HTTP/1.1 200 ')) throw new Error(first.toString());
      return socket.resume();
    }),
  );
}
