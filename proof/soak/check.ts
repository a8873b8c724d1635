/** Mixed requests for a long time: memory, handles and response times stay flat. */
import { readdirSync } from 'node:fs';
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { serveProcess } from '../../test/harness/process.ts';
import { createViolations, runCheck, say } from '../outcome.ts';
import { type Sent, send } from '../send.ts';

/** The address of a module of this folder, which the service loads: the probe, or a control. */
const urlOf = (name: string) => new URL(`${name}.ts`, import.meta.url).href;
const CLIENTS = 8;
/** The number of plants that exist at most. */
const IDS = 500;
/** A request that is kept takes more than 3,000 bytes. */
const BYTES_PER_REQUEST = 1_000;
/** Requests before the first window. Node compiles code, and caches fill. */
const WARM_UP = 3_000;
const WINDOWS = 20;

interface Window {
  readonly requests: number;
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
  const windowMs = (short ? 8_000 : 30 * 60_000) / WINDOWS;
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
    const sorted = times.toSorted((a, b) => a - b);
    const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? 0;
    const handles = readdirSync(`/proc/${child.pid}/fd`).length;
    windows.push({ requests, heap: await heapOf(service), handles, p99 });
    say(JSON.stringify(windows.at(-1)));
  }
  isOver = true;
  await Promise.all(clients);
  agent.destroy();
  await stop('SIGTERM');

  const leaked = slope(windows.map(({ requests, heap }) => [requests, heap]));
  if (leaked > BYTES_PER_REQUEST) violations.add(`the heap grew by ${Math.round(leaked)} bytes per request`);
  const opened = slope(windows.map(({ handles }, i) => [i, handles])) * WINDOWS;
  if (opened > CLIENTS) violations.add(`${Math.round(opened)} handles were opened and not closed`);
  const slower = slope(windows.map(({ p99 }, i) => [i, p99])) * WINDOWS;
  const mean = windows.reduce((sum, { p99 }) => sum + p99, 0) / WINDOWS;
  // The times of a short run depend on what else the machine does.
  if (!short && slower > mean)
    violations.add(`p99 grew by ${Math.round(slower)} ms, from about ${Math.round(mean)} ms`);
  return { counts: { requests, windows: WINDOWS }, versions: {}, ...violations.result() };
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

/** The slope of the regression line through points. */
function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (at: 0 | 1) => points.reduce((sum, point) => sum + point[at], 0) / points.length;
  const [x0, y0] = [mean(0), mean(1)];
  const above = points.reduce((sum, [x, y]) => sum + (x - x0) * (y - y0), 0);
  return above / points.reduce((sum, [x]) => sum + (x - x0) ** 2, 0);
}
