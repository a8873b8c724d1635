/**
 * Owns the benchmark of paging: what a page of the list costs shallow and deep in a large store, with a tag and without.
 *
 * `node bench/paging.ts [rounds]` makes a store of 1,000,000 plants in a temporary folder, and then asks for the same
 * page at depth 10 and at depth 100,000 in turn, so that whatever else the machine does falls on both alike. Two costs
 * are told: the whole service over a socket, and the store alone. Each figure is a median.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { startService } from '../src/cli/service.ts';
import { createLogger } from '../src/observe/log.ts';
import { createCursors } from '../src/plants/cursor.ts';
import type { StoredPlant } from '../src/plants/plant.ts';
import type { Engine } from '../src/stores/engine.ts';
import { openSqlite } from '../src/stores/sqlite/index.ts';
import { median } from './statistics.ts';

const { positionals } = parseArgs({ allowPositionals: true });
const ROUNDS = Number(positionals[0] ?? 1_000);
const PLANTS = 1_000_000;
const WARM_UP = 200;
const DEPTHS = [10, 100_000] as const;
const LIMIT = 100;
const TAG = 'tag-3';
/** One plant in five has the tag, 200,000 in all: depth 100,000 is in its middle. */
const TAGS = 5;
const TOKEN = 'a-token-for-the-benchmark';
const CREATED_AT_ONCE = 5_000;

const directory = mkdtempSync(join(tmpdir(), 'plantstore-paging-'));
const engine = await openSqlite(join(directory, 'plants.db'), {
  queueLimit: 2 * CREATED_AT_ONCE,
  random: Math.random,
  onFatal(cause) {
    throw cause;
  },
});
try {
  await fill(engine);
  const { url, close } = await serve(engine);
  console.log(`${PLANTS.toLocaleString('en')} plants, pages of ${LIMIT}, medians of ${ROUNDS} interleaved rounds`);
  for (const tag of [undefined, TAG]) {
    const starts = DEPTHS.map((depth) => startOf(depth, tag));
    const cursors = createCursors(engine.cursorKey);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const targets = starts.map((after) => {
      const query = new URLSearchParams({ limit: String(LIMIT), ...(tag !== undefined && { tag }) });
      query.set('after', cursors.encode({ store: 'default', tag }, after));
      return `${url}/plants?${query}`;
    });
    await report(`GET /plants${tag === undefined ? '' : `?tag=${tag}`}`, (i) => page(agent, targets[i] ?? ''));
    await report(`  the store alone`, (i) =>
      engine.plants.list('default', { after: starts[i], tag, limit: LIMIT + 1 }),
    );
    agent.destroy();
  }
  await close();
} finally {
  await engine.close();
  rmSync(directory, { recursive: true, force: true });
}

/** The plant at a place, ids ascending over the whole int64 range and uneven, as clients choose them. */
function plantAt(i: number): StoredPlant {
  const step = 2n ** 64n / BigInt(PLANTS);
  const id = -(2n ** 63n) + BigInt(i) * step + (BigInt(i * 7_919) % step);
  return { id, name: `Plant number ${i}`, tag: `tag-${i % TAGS}` };
}

/** The id of the plant that so many plants (of the tag) go up to: the page asked for begins behind it. */
function startOf(depth: number, tag: string | undefined): bigint {
  return plantAt(tag === undefined ? depth - 1 : (depth - 1) * TAGS + Number(tag.slice('tag-'.length))).id;
}

async function fill({ plants }: Engine): Promise<void> {
  // Not in order of id, as plants come: a file written in order would flatter every page.
  const stride = 611_953;
  for (let from = 0; from < PLANTS; from += CREATED_AT_ONCE) {
    const many = Array.from(
      { length: Math.min(CREATED_AT_ONCE, PLANTS - from) },
      (_, i) => ((from + i) * stride) % PLANTS,
    );
    await Promise.all(many.map((i) => plants.create('default', plantAt(i))));
  }
}

async function serve(on: Engine): Promise<{ url: string; close(): Promise<void> }> {
  const service = await startService(on, {
    host: '127.0.0.1',
    port: 0,
    baseUrl: undefined,
    tls: undefined,
    token: TOKEN,
    limits: { maxBody: 65_536, maxUnread: 2 ** 30, maxHeader: 16_384, requestTimeout: 10_000, maxConnections: 100 },
    now: Date.now,
    log: createLogger('error', process.stderr),
  });
  return { url: `http://127.0.0.1:${service.address.port}`, close: () => service.close(1_000) };
}

function page(agent: Agent, target: string): Promise<void> {
  return new Promise((resolve, reject) => {
    get(target, { agent, headers: { Authorization: `Bearer ${TOKEN}` } }, (response) => {
      text(response).then((body) => {
        if (response.statusCode === 200 && body.split('"id"').length === LIMIT + 1) resolve();
        else reject(new Error(`${response.statusCode} ${body.slice(0, 200)}`));
      }, reject);
    }).on('error', reject);
  });
}

async function report(what: string, ask: (depth: number) => Promise<unknown>): Promise<void> {
  const times = DEPTHS.map((): number[] => []);
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    // Each depth goes first in every second round.
    for (const i of round % 2 === 0 ? [0, 1] : [1, 0]) {
      const start = process.hrtime.bigint();
      await ask(i);
      if (round >= 0) times[i]?.push(Number(process.hrtime.bigint() - start) / 1_000);
    }
  }
  const [shallow = 0, deep = 0] = times.map(median);
  const figures = DEPTHS.map((depth, i) => `depth ${depth.toLocaleString('en')}: ${[shallow, deep][i]?.toFixed(1)} µs`);
  console.log(`${what.padEnd(24)} ${figures.join(', ')}, ratio ${(deep / shallow).toFixed(3)}`);
}
