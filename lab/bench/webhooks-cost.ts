/**
 * `node lab/bench/webhooks-cost.ts` measures what webhooks cost: the CPU time of a delivery, creates beside a webhook
 * that lags, the memory of 1,000 webhooks, and the option alone. Short series alternate. `--database postgres` uses the
 * embedded PostgreSQL. `--write` writes the table into docs/benchmark/webhooks.md.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { readCommandLine } from '../../scripts/command-line.ts';
import { startPostgres } from '../../test/harness/postgres.ts';
import { startPart } from './attacks/task-process.ts';
import { inDirectory, newDatabase, onServer } from './checkout.ts';
import { compareWays, runSeries, type Way } from './compare-ways.ts';
import { type Measured, measure, quiet, UNDER_WAY } from './measure.ts';
import { howMeasured, markdown, say, shown, writePart } from './report.ts';
import { plantStore, ROOT, type Server } from './servers.ts';
import type { Path, Receiver } from './webhook-receiver.ts';
import { type Load, requireWrk, TOKEN } from './wrk.ts';

const { values } = readCommandLine(import.meta.filename, {
  options: {
    database: { type: 'string', default: 'sqlite' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    write: { type: 'boolean', default: false },
  },
});
requireWrk();
const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)];

const OPTIONS = ['--webhooks', '--webhook-allow', '127.0.0.0/8'];
/** Together 1,000 webhooks. An address may create 60 sandboxes a minute. */
const [STORES, EACH] = [10, 100];
const MANY = [...OPTIONS, '--sandboxes', String(STORES), '--webhooks-per-store', String(EACH)];
/** Rare enough that a webhook sends each event before the next one. */
const RARE: Partial<Load> = { connections: 2, think: 10 };
const POLL_MS = 100;
/** Makes Node collect all garbage when the process gets SIGUSR2. */
const COLLECTOR = "--expose-gc --import=data:text/javascript,process.on('SIGUSR2',()=>gc({flavor:'last-resort'}))";
const COLLECT_MS = 1_000;

/** Creates plants for some seconds, and waits until the service has nothing more to do. */
type Series = (load?: Partial<Load>, settle?: () => Promise<void>) => Promise<Measured>;

const rows: (readonly [what: string, figure: string, goal: string])[] = [];
const postgres = values.database === 'postgres' ? await startPostgres() : undefined;
const receiver = startPart<Receiver>('../webhook-receiver.ts', 0);
const receiverUrl = await receiver.ask('listen');
try {
  await withServer(OPTIONS, async (server) => {
    let stored = 0;
    const series: Series = async (load, settle) => {
      const work = { request: 'create', ids: 'random', stored, seconds, ...load } as const;
      const measured = await measure(server, work, settle);
      stored += measured.requests;
      return measured;
    };
    await measureDeliveries(server, series);
    await measureLag(server, series);
  });
  await measureMemory();
  await measureOption();
} finally {
  receiver.end();
  await postgres?.remove();
}
const name = postgres === undefined ? 'SQLite' : 'PostgreSQL';
const table = `${markdown(['measured', name, 'goal'], rows)}\n\n${howMeasured({ rounds, seconds })}`;
say(`\n${table}`);
if (values.write) writePart('webhooks.md', values.database, table);
// The package of the embedded server keeps hooks that would prevent the process from ending.
process.exit();

function add(what: string, each: readonly number[], unit: string, goal = ''): void {
  const figure = [shown(each), unit].filter(Boolean).join(' ');
  rows.push([what, figure, goal]);
  say(`${what}: ${figure}`);
}

/** The CPU time of a delivery: what creates with a webhook cost more than the same creates without it. */
async function measureDeliveries(server: Server, series: Series): Promise<void> {
  for (const [to, url] of [
    ['a receiver', urlOf('/quick')],
    ['an inbox', undefined],
  ] as const) {
    for (const [when, load] of [
      ['each event alone', RARE],
      ['many events at once', {}],
    ] as const) {
      const pairs = await inPairs(server, series, url, load, () => haveArrived(server));
      const costs = pairs.map(({ alone, beside }) => beside.cpu - alone.cpu);
      add(`CPU time of a delivery to ${to}, ${when}`, costs, 'µs', 'at most 150 µs');
    }
  }
}

async function measureLag(server: Server, series: Series): Promise<void> {
  for (const [why, path] of [
    ['takes 100 ms', '/slow'],
    ['fails', '/failing'],
  ] as const) {
    const pairs = await inPairs(server, series, urlOf(path));
    const rates = pairs.map(({ alone, beside }) => beside.rate / alone.rate);
    const p99s = pairs.map(({ alone, beside }) => beside.p99 / alone.p99);
    add(`creates per second, beside a webhook whose receiver ${why} / without it`, rates, '', 'at least 0.8');
    add(`p99 of creates, beside a webhook whose receiver ${why} / without it`, p99s, '', 'at most 2');
  }
}

/** Runs series without a webhook and beside one, in alternating order. The first pair only warms up. */
async function inPairs(
  server: Server,
  series: Series,
  url: string | undefined,
  load: Partial<Load> = {},
  settle?: () => Promise<void>,
): Promise<readonly { readonly alone: Measured; readonly beside: Measured }[]> {
  const pairs = [];
  const besideWebhook = async () => {
    const { id } = await send<{ id: string }>(server, 'POST', '/webhooks', { url });
    const measured = await series(load, settle);
    await send(server, 'DELETE', `/webhooks/${id}`);
    return measured;
  };
  for (let round = 0; round <= rounds; round++) {
    const first = round % 2 === 0 ? await series(load) : undefined;
    const beside = await besideWebhook();
    const alone = first ?? (await series(load));
    if (round > 0) pairs.push({ alone, beside });
  }
  return pairs;
}

/** The webhooks are those of sandboxes. They wait for an event, or, after a failure, for their next attempt. */
async function measureMemory(): Promise<void> {
  // The services that start from now on get it.
  process.env['NODE_OPTIONS'] = COLLECTOR;
  for (const [what, url] of [
    ['for an event', undefined],
    ['after a failure', urlOf('/failing')],
  ] as const) {
    const [held, grown]: [number[], number[]] = [[], []];
    for (let round = 1; round <= rounds; round++) {
      await withServer(MANY, async (server) => {
        // The memory that any request takes.
        await measure(server, { request: 'create', ids: 'random', stored: 0, seconds: 1 });
        const before = await memoryInUse(server);
        const tokens: string[] = [];
        for (let i = 0; i < STORES; i++) {
          tokens.push((await send<{ token: string }>(server, 'POST', '/sandboxes', {})).token);
        }
        for (let i = 0; i < EACH; i++) {
          await Promise.all(tokens.map((token) => send(server, 'POST', '/webhooks', { url }, token)));
        }
        if (url !== undefined) {
          for (const token of tokens) await send(server, 'POST', '/plants', { id: 1, name: 'Aloe vera' }, token);
          for (const token of tokens) await until(server, ({ state }) => state === 'waiting', token);
        }
        await quiet(server);
        grown.push(server.memory() - before);
        held.push((await memoryInUse(server)) - before);
      });
    }
    add(`memory of ${STORES * EACH} webhooks that wait ${what}`, held, 'MB', 'at most 40 MB');
    add('the same, with the garbage of the requests and attempts so far', grown, 'MB');
  }
  delete process.env['NODE_OPTIONS'];
}

/** The memory of a server without garbage, in MB. */
async function memoryInUse(server: Server): Promise<number> {
  server.signal('SIGUSR2');
  await sleep(COLLECT_MS);
  await quiet(server);
  return server.memory();
}

/** A service with webhooks always has events, so the service without webhooks has them too. */
async function measureOption(): Promise<void> {
  await withServer(['--events'], (without) =>
    withServer(OPTIONS, async (server) => {
      const ways = (request: 'create' | 'get', stored: readonly [number, number]): readonly [Way, Way] => [
        { name: `${request} with --webhooks`, server, request, ids: 'random', stored: stored[0] },
        { name: `${request} with --events`, server: without, request, ids: 'random', stored: stored[1] },
      ];
      const creates = ways('create', [0, 0]);
      for (const one of creates) await runSeries(one, seconds);
      // wrk did not wait for the last responses. Later series leave gaps between the ids.
      const created = creates.map(({ stored }) => Math.max(2, stored - 2 * UNDER_WAY)) as [number, number];
      const create = await compareWays(creates, { rounds, seconds });
      const get = await compareWays(ways('get', created), { rounds, seconds });
      add('CPU time of a create, with --webhooks and no webhook / with --events', create.cpu, '', '1');
      add('CPU time of a get, with --webhooks and no webhook / with --events', get.cpu, '', '1');
    }),
  );
}

function withServer<T>(options: readonly string[], work: (server: Server) => Promise<T>): Promise<T> {
  return inDirectory(async (directory) => {
    await using database = await newDatabase(directory, postgres);
    return await onServer(plantStore(ROOT, database.url, options), directory, work);
  });
}

function urlOf(path: Path): string {
  return `${receiverUrl}${path}`;
}

interface Webhook {
  readonly state: string;
  readonly behind: number;
}

function haveArrived(server: Server): Promise<void> {
  return until(server, ({ behind }) => behind === 0);
}

/** Waits until something is true of each webhook of a store. */
async function until(server: Server, isSo: (webhook: Webhook) => boolean, token = TOKEN): Promise<void> {
  while (!(await send<readonly Webhook[]>(server, 'GET', '/webhooks', undefined, token)).every(isSo)) {
    await sleep(POLL_MS);
  }
}

/** Sends a request. Returns the body of the response. Throws if it is no success. */
async function send<Body>({ url }: Server, method: string, path: string, body?: unknown, token = TOKEN): Promise<Body> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const sent = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
  const response = await fetch(`${url}${path}`, sent);
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} got ${response.status}: ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as Body;
}
