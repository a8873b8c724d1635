/** Owns a session: one server on fresh plants under one workload, warmed up, then at full load, then at half of it. */
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Contender } from './contenders.ts';
import { directoryWith, type Stored, storedFor } from './databases.ts';
import { isHalf } from './figures.ts';
import { type Load, load, type Seen } from './load.ts';
import { type Cpu, machineTime, total } from './process-tree.ts';
import { type Server, start } from './servers.ts';
import type { Workload } from './workloads.ts';

interface FullLoad {
  readonly requestsPerSecond: number;
  /** User and system time of all the server's threads and processes for one request, in microseconds. */
  readonly cpu: Cpu;
  /** The part of one core that wrk itself used: near 1 the load was wrk's limit, not the server's. */
  readonly loader: number;
  /** The part of one core that anything else on the machine used: a machine at rest has next to nothing. */
  readonly others: number;
}

/** Latencies at half of the server's own maximum, in milliseconds. */
interface HalfLoad extends Pick<Seen, 'p50' | 'p99' | 'p999' | 'max' | 'requests'> {
  /** The rate that was reached, as a part of the maximum. */
  readonly share: number;
}

export interface Session {
  readonly full: FullLoad;
  readonly half: HalfLoad;
  /** MB. */
  readonly peakMemory: number;
}

export const CONNECTIONS = 64;
const FULL: Pace = { connections: CONNECTIONS, think: 0 };
const WARM_UP_REQUESTS = 2_000;
const WARM_UP_RUNS = 4;
/** A server is quiet when it uses no more than one tick of Linux's clock in this time. */
const QUIET_MS = 200;
const QUIET_US = 10_000;
const QUIET_WITHIN_MS = 10_000;
/** Seconds: how long a connection thinks at half load, as far as the bounds of their number let it. */
const LONG_THINK = 0.01;
const FEWEST_REQUESTS = 1_000;
const LONGEST_SECONDS = 10;
const ATTEMPTS = 3;

/** How long each part of a session takes, in seconds. */
interface Times {
  readonly warmUp: number;
  readonly full: number;
  readonly half: number;
}

export async function runSession(
  contender: Contender,
  workload: Workload,
  env: Readonly<Record<string, string>>,
  times: Times,
): Promise<Session> {
  return onServer(contender, workload, env, async (server) => {
    const run = loader(server, { ...workload, stored: storedFor(contender, workload.stored) });
    await warmUp(run, times.warmUp);
    await quiet(server);
    const full = await atFullLoad(server, () => run(times.full));
    const half = await atHalfLoad(full.requestsPerSecond, times.half, run);
    return { full, half, peakMemory: server.peakMemory() };
  });
}

/** For so long, and on a slow disk for longer: few requests leave the code of a server uncompiled. */
async function warmUp(run: Run, seconds: number): Promise<void> {
  let requests = 0;
  for (let runs = 0; runs < WARM_UP_RUNS && requests < WARM_UP_REQUESTS; runs++)
    requests += (await run(seconds)).requests;
}

/** Does something with a server that is started on such plants, a copy of its own, and ends it. */
export async function onServer<T>(
  contender: Contender,
  stored: Stored,
  env: Readonly<Record<string, string>>,
  use: (server: Server) => Promise<T>,
): Promise<T> {
  const directory = await directoryWith(contender, stored);
  try {
    const server = await start(contender, directory, env);
    try {
      return await use(server);
    } finally {
      await server.stop();
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** How the connections of a run go on after an answer: at once, or after a think time of so many milliseconds. */
export type Pace = Pick<Load, 'connections' | 'think'>;
export type Run = (seconds: number, pace?: Pace) => Promise<Seen>;

/** Every run goes on with plants that none before it has created. */
export function loader(server: Server, workload: Pick<Load, 'request' | 'ids' | 'stored'>): Run {
  const { request, ids, stored } = workload;
  let from = 0;
  return async (seconds, pace = FULL) => {
    const seen = await load(server.url, { request, ids, stored, seconds, from, ...pace });
    // wrk ends with some requests under way, which it does not count.
    from += seen.requests + 10 * pace.connections;
    return seen;
  };
}

/**
 * What a store puts off until after the answer (checkpoints, merges) belongs to the requests that caused it: the cost is
 * counted from quiet to quiet.
 */
async function atFullLoad(server: Server, run: () => Promise<Seen>): Promise<FullLoad> {
  const before = server.cpu();
  const machineBefore = machineTime();
  const { requests, seconds, loader } = await run();
  const used = total(server.cpu()) - total(before);
  const others = (machineTime() - machineBefore - used) / 1e6 / seconds - loader;
  await quiet(server);
  const after = server.cpu();
  // Those under way at the end are served too, though wrk does not wait for them.
  const served = requests + CONNECTIONS;
  return {
    requestsPerSecond: requests / seconds,
    cpu: { user: (after.user - before.user) / served, system: (after.system - before.system) / served },
    loader,
    others,
  };
}

/**
 * Finds the think time at which the rate is half of the maximum, and measures with it. There are so many connections
 * that each thinks for several milliseconds, wrk's unit; and no more, as servers close those that are idle for long.
 */
export async function atHalfLoad(maximum: number, seconds: number, run: Run): Promise<HalfLoad> {
  const target = maximum / 2;
  const connections = Math.round(Math.min(256, Math.max(CONNECTIONS, target * LONG_THINK)));
  // A slow server needs longer until its rate and its percentiles mean anything.
  const time = Math.ceil(Math.min(LONGEST_SECONDS, Math.max(seconds, FEWEST_REQUESTS / target)));
  const cycle = (connections / target) * 1_000;
  // An answer at half load takes a small part of the cycle; the first run says how small.
  let think = cycle * 0.9;
  for (let attempt = 0; ; attempt++) {
    const calibrating = attempt === 0;
    const seen = await run(calibrating ? Math.ceil(time / 3) : time, { connections, think });
    const rate = seen.requests / seen.seconds;
    const share = rate / maximum;
    if (!calibrating && (isHalf(share) || attempt === ATTEMPTS)) {
      const { p50, p99, p999, max, requests } = seen;
      return { p50, p99, p999, max, requests, share };
    }
    think = Math.max(0, think + cycle - (connections * 1_000) / rate);
  }
}

/** Resolves once the server has nothing more to do, or does not come to rest. */
export async function quiet(server: Server): Promise<void> {
  const until = performance.now() + QUIET_WITHIN_MS;
  let before = total(server.cpu());
  while (performance.now() < until) {
    await sleep(QUIET_MS);
    const now = total(server.cpu());
    if (now - before <= QUIET_US) return;
    before = now;
  }
}
