/** Runs wrk. */
import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { refuse } from '../../scripts/command-line.ts';

export const TOKEN = 'bench-token-0123456789';
export const CONNECTIONS = 64;

export interface Load {
  /** The request function of load.lua. */
  readonly request: 'create' | 'get' | 'list' | 'tagged';
  readonly ids: 'sequential' | 'random' | 'spread';
  /** The number of plants that exist. Their indexes are below it. */
  readonly stored: number;
  readonly seconds: number;
  /** Number of connections. Default: 64. */
  readonly connections?: number;
  /** Mean time between a response and the connection's next request, in milliseconds. Default: 0. */
  readonly think?: number;
  /** Creates use these tokens in turn. Default: the token of all servers. */
  readonly tokens?: readonly string[];
}

export interface Seen {
  readonly requests: number;
  /** The measured duration. wrk stops a little later than requested. */
  readonly seconds: number;
  /** Milliseconds from sending a request to receiving its response. */
  readonly p99: number;
}

const SCRIPT = fileURLToPath(new URL('./load.lua', import.meta.url));

/** Returns why wrk cannot run. Undefined if it can. */
export function missingWrk(): string | undefined {
  return (
    spawnSync('wrk').error && 'wrk is not installed: install the package wrk, for example with apt-get install wrk'
  );
}

/** Ends the process with 2 if wrk is missing. Each script that measures with wrk begins with this. */
export function requireWrk(): void {
  const missing = missingWrk();
  if (missing !== undefined) refuse(missing);
}

/** Runs wrk once. Throws if any request got no response, or an unsuccessful one. */
export async function load(
  url: string,
  { request, ids, stored, seconds, connections, think = 0, tokens = [TOKEN] }: Load,
): Promise<Seen> {
  const { stdout } = await promisify(execFile)('wrk', [
    ...`-t 1 -c ${connections ?? CONNECTIONS} -d ${seconds}s --timeout 10s -s`.split(' '),
    ...[SCRIPT, url, '--', request, ids, String(stored), String(think), tokens.join()],
  ]);
  const line = stdout.split('\n').find((one) => one.startsWith('{'));
  if (line === undefined) throw new Error(`wrk printed no result:\n${stdout}`);
  const { errors, refused, ...seen }: Seen & { errors: number; refused: number } = JSON.parse(line);
  if (errors + refused > 0 || seen.requests === 0) {
    throw new Error(`${errors} requests got no response, ${refused} were refused, of ${seen.requests}`);
  }
  return seen;
}
