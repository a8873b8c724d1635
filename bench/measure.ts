/** What is measured of one server: CPU and rate at full load, latency at half of it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { CONNECTIONS, type Load, load } from './load.ts';
import type { Server } from './servers.ts';

export type Workload = Pick<Load, 'request' | 'ids' | 'tokens'>;

interface FullLoad {
  readonly requests: number;
  readonly rate: number;
  /** CPU time of all the server's threads and processes for one request, in microseconds. */
  readonly cpu: number;
}

/** A server is quiet when it uses no more than one tick of Linux's clock in this time. */
const QUIET_MS = 200;
const QUIET_US = 10_000;
const QUIET_WITHIN_MS = 10_000;

/** wrk does not count the requests that are under way at its end: their ids are passed over. */
export const UNDER_WAY = 10 * CONNECTIONS;

/**
 * The load goes on until the server is quiet: what a store puts off until after the response (checkpoints) belongs to the
 * requests that caused it.
 */
export async function atFullLoad(
  server: Server,
  workload: Workload,
  stored: number,
  seconds: number,
): Promise<FullLoad> {
  await quiet(server);
  const before = server.cpu();
  const seen = await load(server.url, { ...workload, stored, seconds });
  await quiet(server);
  const cpu = (server.cpu() - before) / (seen.requests + CONNECTIONS);
  return { requests: seen.requests + UNDER_WAY, rate: seen.requests / seen.seconds, cpu };
}

/** The p99 of latencies at half of the server's own maximum, in milliseconds. */
export async function atHalfLoad(server: Server, workload: Workload, stored: number, maximum: number, seconds: number) {
  const target = maximum / 2;
  // So many connections that each thinks for several milliseconds, wrk's unit.
  const connections = Math.round(Math.min(256, Math.max(CONNECTIONS, target * 0.01)));
  const cycle = (connections / target) * 1_000;
  let think = cycle * 0.9;
  let used = stored;
  // The first run says how small a part of the cycle a response takes.
  for (let attempt = 0; ; attempt++) {
    const seen = await load(server.url, { ...workload, stored: used, seconds, connections, think });
    used += seen.requests + 10 * connections;
    if (attempt === 1) return seen.p99;
    think = Math.max(0, think + cycle - (connections * 1_000 * seen.seconds) / seen.requests);
  }
}

async function quiet(server: Server): Promise<void> {
  const until = performance.now() + QUIET_WITHIN_MS;
  let before = server.cpu();
  while (performance.now() < until) {
    await sleep(QUIET_MS);
    const now = server.cpu();
    if (now - before <= QUIET_US) return;
    before = now;
  }
}
