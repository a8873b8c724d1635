/** Owns one run of load: wrk for so many seconds, and what it saw. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { endedChildrenTime } from './process-tree.ts';
import { TOKEN } from './servers.ts';
import type { Workload } from './workloads.ts';

export interface Load extends Pick<Workload, 'request' | 'ids' | 'stored'> {
  readonly connections: number;
  readonly seconds: number;
  /** How many creates earlier runs on the same server have made. */
  readonly from: number;
  /** The mean think time of a connection between an answer and its next request, in milliseconds. */
  readonly think: number;
}

export interface Seen {
  readonly requests: number;
  /** As measured; wrk stops a little later than it is told. */
  readonly seconds: number;
  /** Milliseconds from sending the request to having its answer. */
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
  /** The part of one core that wrk itself used; of no meaning when several run at once. */
  readonly loader: number;
}

const SCRIPT = fileURLToPath(new URL('./load.lua', import.meta.url));

/** Runs the load against a server. Throws when any request was not answered, or not with success. */
export async function load(url: string, options: Load): Promise<Seen> {
  const { request, ids, stored, connections, seconds, from, think } = options;
  const before = endedChildrenTime();
  const { stdout } = await promisify(execFile)('wrk', [
    ...['-t', '1', '-c', String(connections), '-d', `${seconds}s`, '--timeout', '10s', '-s', SCRIPT, url, '--'],
    ...[request, ids, String(stored), String(from), String(think), TOKEN],
  ]);
  const seen = readSeen(stdout);
  return { ...seen, loader: (endedChildrenTime() - before) / 1e6 / seen.seconds };
}

/** Reads the line of JSON that load.lua prints at the end. */
export function readSeen(output: string): Omit<Seen, 'loader'> {
  const line = output.split('\n').find((one) => one.startsWith('{'));
  if (line === undefined) throw new Error(`wrk said nothing to be read:\n${output}`);
  const { errors, refused, ...seen }: Seen & { errors: number; refused: number } = JSON.parse(line);
  if (errors + refused > 0)
    throw new Error(`${errors} requests were not answered, ${refused} were refused:\n${output}`);
  if (seen.requests === 0) throw new Error('no request was answered');
  return seen;
}
