/** Compares the cost of creating plants in two ways, in short series that alternate. */
import { spread } from './figures.ts';
import { atFullLoad, type Workload } from './measure.ts';
import type { Server } from './servers.ts';

export interface Way {
  readonly name: string;
  readonly server: Server;
  /** Default: the token of all servers. */
  readonly tokens?: readonly string[];
  readonly ids: Workload['ids'];
  /** The number of plants that were created so far. */
  stored: number;
}

/** Creates plants for some seconds. Returns the CPU time in microseconds and the rate per second. */
export async function create(way: Way, seconds: number): Promise<{ readonly cpu: number; readonly rate: number }> {
  const { server, ids, tokens } = way;
  const full = await atFullLoad(server, { request: 'create', ids, ...(tokens && { tokens }) }, way.stored, seconds);
  way.stored += full.requests;
  return full;
}

/** Prints each round, and then the ratios of the first way to the second. The first series of each only warms up. */
export async function compareCreates(
  [one, other]: readonly [Way, Way],
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number },
): Promise<void> {
  const [cpu, rate]: [number[], number[]] = [[], []];
  for (let round = 0; round <= rounds; round++) {
    const isFirst = round % 2 === 0;
    const before = await create(isFirst ? one : other, seconds);
    const after = await create(isFirst ? other : one, seconds);
    if (round === 0) continue;
    const [mine, its] = isFirst ? [before, after] : [after, before];
    cpu.push(mine.cpu / its.cpu);
    rate.push(mine.rate / its.rate);
    const show = ({ cpu, rate }: typeof mine) => `${cpu.toFixed(1)} µs, ${Math.round(rate)}/s`;
    say(`round ${round}: ${one.name} ${show(mine)}; ${other.name} ${show(its)}`);
  }
  say(`${one.name} / ${other.name}: CPU time of the service ${ratio(cpu)}, creates per second ${ratio(rate)}`);
}

export function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Formats the median of ratios, with the lowest and the highest. */
export function ratio(values: readonly number[]): string {
  const { median, low, high } = spread(values);
  return `${median.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`;
}
