/** Owns one measured run of load: wrk for so many seconds, and what it cost the server. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Server, TOKEN } from './servers.ts';

export interface Figures {
  readonly requestsPerSecond: number;
  /** User and system time of the whole server process for one request, in microseconds. */
  readonly cpuPerRequest: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

export interface Load {
  readonly connections: number;
  readonly seconds: number;
  readonly ids: 'sequential' | 'random';
  /** Where the ids of this run begin: no two runs on one server may share any. */
  readonly from: number;
}

const SCRIPT = new URL('./create.lua', import.meta.url).pathname;

/** Runs creates against a server. Throws when any of them was not answered 200. */
export async function measure(server: Server, { connections, seconds, ids, from }: Load): Promise<Figures> {
  const before = server.cpu();
  const { stdout } = await promisify(execFile)('wrk', [
    ...['-t', '1', '-c', String(connections), '-d', `${seconds}s`, '--latency', '-s', SCRIPT, `${server.url}/plants`],
    ...['--', ids, TOKEN, String(from)],
  ]);
  const cpu = server.cpu() - before;
  const total = Number(/(\d+) requests in/.exec(stdout)?.[1]);
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`${server.name} failed requests:\n${stdout}`);
  return {
    requestsPerSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]),
    cpuPerRequest: cpu / total,
    p50: milliseconds(stdout, '50%'),
    p99: milliseconds(stdout, '99%'),
  };
}

function milliseconds(stdout: string, percentile: string): number {
  const [, value, unit] = new RegExp(`\\s${percentile}\\s+([\\d.]+)(us|ms|s)`).exec(stdout) ?? [];
  return Number(value) * ({ us: 0.001, ms: 1, s: 1_000 }[unit as 'us' | 'ms' | 's'] ?? Number.NaN);
}
