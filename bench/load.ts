/** One run of load: wrk for so many seconds, and what it saw. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const TOKEN = 'bench-token-0123456789';
export const CONNECTIONS = 64;

export interface Load {
  /** The request function of load.lua. */
  readonly request: 'create' | 'get' | 'list';
  readonly ids: 'sequential' | 'random';
  /** How many plants there are: those of the indexes below it. */
  readonly stored: number;
  readonly seconds: number;
  /** Connections; 64 unless given. */
  readonly connections?: number;
  /** The mean think time of a connection between a response and its next request, in milliseconds; 0 unless given. */
  readonly think?: number;
  /** Used in turn by creates; the one of all servers unless given. */
  readonly tokens?: readonly string[];
}

export interface Seen {
  readonly requests: number;
  /** As measured; wrk stops a little later than it is told. */
  readonly seconds: number;
  /** Milliseconds from sending the request to having its response. */
  readonly p99: number;
}

const SCRIPT = fileURLToPath(new URL('./load.lua', import.meta.url));

/** Throws when any request got no response, or not one of success. */
export async function load(
  url: string,
  { request, ids, stored, seconds, connections, think = 0, tokens = [TOKEN] }: Load,
): Promise<Seen> {
  const { stdout } = await promisify(execFile)('wrk', [
    ...`-t 1 -c ${connections ?? CONNECTIONS} -d ${seconds}s --timeout 10s -s`.split(' '),
    ...[SCRIPT, url, '--', request, ids, String(stored), String(think), tokens.join()],
  ]);
  const line = stdout.split('\n').find((one) => one.startsWith('{'));
  if (line === undefined) throw new Error(`wrk printed nothing to be read:\n${stdout}`);
  const { errors, refused, ...seen }: Seen & { errors: number; refused: number } = JSON.parse(line);
  if (errors + refused > 0 || seen.requests === 0) {
    throw new Error(`${errors} requests got no response, ${refused} were refused, of ${seen.requests}`);
  }
  return seen;
}
