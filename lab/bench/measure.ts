/** Measures one server: CPU and rate at full load, and latency at half load. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Server } from './servers.ts';
import { CONNECTIONS, type Load, load } from './wrk.ts';

export type Workload = Pick<Load, 'request' | 'ids' | 'tokens'>;

export interface Measured {
  readonly requests: number;
  readonly rate: number;
  /** Milliseconds. */
  readonly p99: number;
  /** CPU time per request in microseconds, in all threads and processes of the server. */
  readonly cpu: number;
}

/** A server is quiet when it uses at most one tick of Linux's clock in this time. */
const QUIET_MS = 200;
const QUIET_US = 10_000;
const QUIET_WITHIN_MS = 10_000;

/** wrk does not count requests that are in progress when it stops. Later loads skip this number of ids. */
export const UNDER_WAY = 10 * CONNECTIONS;

/**
 * Runs a load, and counts the CPU time until the server is quiet again. A store may do work after the response, such as
 * a checkpoint. That work belongs to the requests that caused it. `settle`: waits for work that takes longer.
 */
export async function measure(
  server: Server,
  work: Load,
  settle: () => Promise<void> = async () => undefined,
): Promise<Measured> {
  await quiet(server);
  const before = server.cpu();
  const seen = await load(server.url, work);
  await settle();
  await quiet(server);
  const cpu = (server.cpu() - before) / (seen.requests + (work.connections ?? CONNECTIONS));
  return { requests: seen.requests + UNDER_WAY, rate: seen.requests / seen.seconds, p99: seen.p99, cpu };
}

export function atFullLoad(server: Server, workload: Workload, stored: number, seconds: number): Promise<Measured> {
  return measure(server, { ...workload, stored, seconds });
}

/** Returns the p99 latency at half of the server's own maximum rate, in milliseconds. */
export async function atHalfLoad(server: Server, workload: Workload, stored: number, maximum: number, seconds: number) {
  const target = maximum / 2;
  // Enough connections that each thinks for several milliseconds: wrk counts whole milliseconds.
  const connections = Math.round(Math.min(256, Math.max(CONNECTIONS, target * 0.01)));
  const cycle = (connections / target) * 1_000;
  let think = cycle * 0.9;
  let used = stored;
  // The first run measures which part of the cycle a response takes.
  for (let attempt = 0; ; attempt++) {
    const seen = await load(server.url, { ...workload, stored: used, seconds, connections, think });
    used += seen.requests + 10 * connections;
    if (attempt === 1) return seen.p99;
    think = Math.max(0, think + cycle - (connections * 1_000 * seen.seconds) / seen.requests);
  }
}

/** Waits until the server is quiet, 10 s at most. */
export async function quiet(server: Server): Promise<void> {
  const until = performance.now() + QUIET_WITHIN_MS;
  let before = server.cpu();
  while (performance.now() < until) {
    await sleep(QUIET_MS);
    const now = server.cpu();
    if (now - before <= QUIET_US) return;
    before = now;
  }
}
