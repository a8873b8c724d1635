/**
 * `node lab/bench/events-cost.ts` measures, side by side, a service with events against one without, and then creating
 * plants with open streams of events against creating them without. Both servers run all the time, and short series
 * alternate. `--database postgres` uses the embedded PostgreSQL.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { readCommandLine } from '../../scripts/command-line.ts';
import { addTokens } from '../../test/harness/citus.ts';
import { startPostgres } from '../../test/harness/postgres.ts';
import { inDirectory, newDatabase, onServer } from './checkout.ts';
import { compareWays, runSeries, type Way } from './compare-ways.ts';
import { spread } from './figures.ts';
import { say, shown } from './report.ts';
import { plantStore, ROOT, type Server } from './servers.ts';
import { requireWrk } from './wrk.ts';

const { values } = readCommandLine(import.meta.filename, {
  options: {
    database: { type: 'string', default: 'sqlite' },
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '2' },
    streams: { type: 'string', default: '1000' },
  },
});
requireWrk();
const [rounds, seconds, streams] = [Number(values.rounds), Number(values.seconds), Number(values.streams)];

const postgres = values.database === 'postgres' ? await startPostgres() : undefined;
try {
  await inDirectory((first) =>
    inDirectory(async (second) => {
      await using plain = await newDatabase(first, postgres);
      await using other = await newDatabase(second, postgres);
      const [token = ''] = await addTokens(other.url, 1);
      await onServer(plantStore(ROOT, plain.url), first, (without) =>
        onServer(plantStore(ROOT, other.url, ['--events']), second, async (withEvents) => {
          const way = (name: string, server: Server): Way => ({ name, server, ids: 'random', stored: 0 });
          const eventful = way('with events', withEvents);
          await compareWays([eventful, way('without', without)], { rounds, seconds });
          await compareStreams(eventful, token);
        }),
      );
    }),
  );
} finally {
  await postgres?.remove();
}
process.exit();

/** The streams are of a store in which nothing changes. They are open in every second series. */
async function compareStreams(way: Way, token: string): Promise<void> {
  const ratios: number[] = [];
  const memory: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    const without = await runSeries(way, seconds);
    const before = way.server.memory();
    const sockets = await openStreams(way.server, token);
    memory.push(way.server.memory() - before);
    const beside = await runSeries(way, seconds);
    ratios.push(beside.rate / without.rate);
    say(`round ${round}: ${Math.round(without.rate)}/s; beside the streams ${Math.round(beside.rate)}/s`);
    for (const socket of sockets) socket.destroy();
    await sleep(500);
  }
  const most = spread(memory);
  say(
    `${streams} open streams: creates per second ${shown(ratios)}, ` +
      `memory ${Math.round(most.median)} MB (at most ${Math.round(most.high)})`,
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
