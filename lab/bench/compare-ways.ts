/** Compares the cost of requests in two ways, in short series that alternate. */
import { atFullLoad, type Workload } from './measure.ts';
import { say, shown } from './report.ts';
import type { Server } from './servers.ts';

export interface Way extends Pick<Workload, 'ids' | 'tokens'> {
  readonly name: string;
  readonly server: Server;
  /** Default: create. */
  readonly request?: 'create' | 'get';
  /** The number of plants that were created so far. */
  stored: number;
}

/** The first way divided by the second, in each round. */
export interface Compared {
  /** The CPU time of the service. */
  readonly cpu: readonly number[];
  /** Requests per second. */
  readonly rate: readonly number[];
}

/** Sends requests for some seconds. Returns the CPU time in microseconds and the rate per second. */
export async function runSeries(way: Way, seconds: number): Promise<{ readonly cpu: number; readonly rate: number }> {
  const { server, request = 'create', ids, tokens } = way;
  const full = await atFullLoad(server, { request, ids, ...(tokens && { tokens }) }, way.stored, seconds);
  if (request === 'create') way.stored += full.requests;
  return full;
}

/** Prints each round, and then the ratios. The first series of each way only warms up. */
export async function compareWays(
  [one, other]: readonly [Way, Way],
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number },
): Promise<Compared> {
  const [cpu, rate]: [number[], number[]] = [[], []];
  for (let round = 0; round <= rounds; round++) {
    const isFirst = round % 2 === 0;
    const before = await runSeries(isFirst ? one : other, seconds);
    const after = await runSeries(isFirst ? other : one, seconds);
    if (round === 0) continue;
    const [mine, its] = isFirst ? [before, after] : [after, before];
    cpu.push(mine.cpu / its.cpu);
    rate.push(mine.rate / its.rate);
    const show = ({ cpu, rate }: typeof mine) => `${cpu.toFixed(1)} µs, ${Math.round(rate)}/s`;
    say(`round ${round}: ${one.name} ${show(mine)}; ${other.name} ${show(its)}`);
  }
  say(`${one.name} / ${other.name}: CPU time of the service ${shown(cpu)}, requests per second ${shown(rate)}`);
  return { cpu, rate };
}
