/** Mixed requests for a long time: memory, handles and response times stay flat. */
import { readdirSync } from 'node:fs';
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { serveProcess } from '../../../test/harness/process.ts';
import { createViolations, runCheck, say } from '../outcome.ts';
import { type Sent, send } from '../send.ts';

/** The address of a module of this folder, which the service loads: the probe, or a control. */
const urlOf = (name: string) => new URL(`${name}.ts`, import.meta.url).href;
const CLIENTS = 8;
/** The number of plants that exist at most. */
const IDS = 500;
/** The heap may grow by this many bytes in a run. A request that is kept takes more than 3,000. */
const MAX_GROWTH = 16 * 1024 ** 2;
/** Requests before the first window. Node compiles code, and caches fill. */
const WARM_UP = 3_000;
const WINDOWS = 20;
/** A slow machine waits for this many requests in each window, so that a control exceeds the limit. */
const REQUESTS_PER_WINDOW = 500;

interface Window {
  readonly heap: number;
  readonly handles: number;
  readonly p99: number;
}

await runCheck(async ({ short, control, random }) => {
  const violations = createViolations();
  const preloads = ['probe', ...(control === undefined ? [] : [control])].map((name) => `--import=${urlOf(name)}`);
  const service = await serveProcess(['--database', 'temporary'], { NODE_OPTIONS: preloads.join(' ') });
  const { url, token = '', stop, child } = service;
  const agent = new Agent({ keepAlive: true });
  const windowMs = (short ? 4_000 : 30 * 60_000) / WINDOWS;
  let requests = 0;
  let times: number[] = [];
  let isOver = false;
  const client = async () => {
    while (!isOver) {
      const began = performance.now();
      const { status, text } = await send({ ...anyRequest(url, random), token, agent });
      times.push(performance.now() - began);
      requests++;
      if (status === 0 || status >= 500) violations.add(`a request got ${status} ${text}`);
    }
  };
  const clients = Array.from({ length: CLIENTS }, client);
  const windows: Window[] = [];
  while (requests < WARM_UP) await sleep(50);
  for (let i = 0; i < WINDOWS; i++) {
    times = [];
    await sleep(windowMs);
    while (times.length < REQUESTS_PER_WINDOW) await sleep(50);
    const sorted = times.toSorted((a, b) => a - b);
    const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? 0;
    const handles = readdirSync(`/proc/${child.pid}/fd`).length;
    windows.push({ heap: await heapOf(service), handles, p99 });
    say(JSON.stringify(windows.at(-1)));
  }
  isOver = true;
  await Promise.all(clients);
  agent.destroy();
  await stop('SIGTERM');

  const growth = (values: readonly number[]) => Math.round(slope(values) * WINDOWS);
  const grown = growth(windows.map(({ heap }) => heap));
  if (grown > MAX_GROWTH) violations.add(`the heap grew by ${grown} bytes`);
  const opened = growth(windows.map(({ handles }) => handles));
  if (opened > CLIENTS) violations.add(`${opened} handles were opened and not closed`);
  const slower = growth(windows.map(({ p99 }) => p99));
  const mean = windows.reduce((sum, { p99 }) => sum + p99, 0) / WINDOWS;
  // The times of a short run depend on what else the machine does. Its control slows the service down much more.
  if ((!short || control === 'slower-responses') && slower > mean)
    violations.add(`p99 grew by ${slower} ms, from about ${Math.round(mean)} ms`);
  return {
    counts: { requests, 'bytes of heap growth': Math.max(0, grown), windows: WINDOWS },
    versions: {},
    ...violations.result(),
  };
});

function anyRequest(url: string, random: () => number): Pick<Sent, 'url' | 'method' | 'body'> {
  const id = 1 + Math.floor(random() * IDS);
  const name = `Plant ${Math.floor(random() * 3)}`;
  const kinds = [
    { url: `${url}/plants`, method: 'POST', body: { id, name } },
    { url: `${url}/plants/${id}`, method: 'PUT', body: { name } },
    { url: `${url}/plants/${id}`, method: 'DELETE' },
    { url: `${url}/plants/${id}` },
    { url: `${url}/plants?limit=10` },
    { url: `${url}/no/${id}` },
  ];
  return kinds[Math.floor(random() * kinds.length)] ?? { url };
}

async function heapOf({ child, stderr }: Awaited<ReturnType<typeof serveProcess>>): Promise<number> {
  const before = stderr().length;
  child.kill('SIGUSR2');
  for (;;) {
    const heap = /^heap (\d+)$/m.exec(stderr().slice(before))?.[1];
    if (heap !== undefined) return Number(heap);
    await sleep(5);
  }
}

/** The slope of the regression line through values at equal distances. */
function slope(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const above = values.reduce((sum, value, i) => sum + (i - middle) * value, 0);
  return above / values.reduce((sum, _, i) => sum + (i - middle) ** 2, 0);
}
