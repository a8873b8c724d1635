/**
 * Measures servers side by side. All servers of a round run together, and each load goes to one after the other, so
 * that other work of the machine affects all alike.
 */
import { inDirectory } from './checkout.ts';
import type { Figures, Rounds } from './figures.ts';
import { atFullLoad, atHalfLoad, UNDER_WAY, type Workload } from './measure.ts';
import { type Contender, NotInstalled, type Server, start } from './servers.ts';
import { load } from './wrk.ts';

export interface Extent {
  readonly rounds: number;
  /** The duration of each measurement. */
  readonly seconds: number;
  /** Whether to measure the latency at half load, too. */
  readonly hasLatency: boolean;
}

export interface Running {
  readonly contender: Contender;
  readonly server: Server;
  readonly figures: Record<string, number>;
  /** The number of plants with sequential ids that are stored for certain. */
  stored: number;
}

const WARM_SECONDS = 1;
const IN_ORDER: Workload = { request: 'create', ids: 'sequential' };

/** `say` prints progress. A server that is not installed is left out, but fails on CI. */
export async function sideBySide(
  contenders: readonly Contender[],
  { rounds, seconds, hasLatency }: Extent,
  say: (text: string) => void,
): Promise<Rounds> {
  const measured = new Map(contenders.map(({ name }) => [name, [] as Figures[]]));
  for (let round = 1; round <= rounds; round++) {
    say(`round ${round} of ${rounds}`);
    const order = round % 2 === 1 ? contenders : contenders.toReversed();
    await withServers(order, say, async (all) => {
      for (const one of all) await createInOrder(one, seconds, hasLatency);
      for (const one of all) await read(one, 'get', seconds);
      for (const one of all) if (one.contender.lists) await read(one, 'list', seconds);
      for (const one of all) await createAtRandom(one, seconds);
      for (const { contender, figures } of all) measured.get(contender.name)?.push(figures);
    });
  }
  return measured;
}

/** Starts all servers, does the work, and stops them. */
export async function withServers(
  contenders: readonly Contender[],
  say: (text: string) => void,
  work: (all: readonly Running[]) => Promise<void>,
  all: readonly Running[] = [],
): Promise<void> {
  const [contender, ...others] = contenders;
  if (contender === undefined) return work(all);
  await inDirectory(async (directory) => {
    let server: Server;
    try {
      server = await start(contender, directory);
    } catch (error) {
      if (!(error instanceof NotInstalled) || process.env['CI'] !== undefined) throw error;
      say(`left out, since ${error.message}`);
      return withServers(others, say, work, all);
    }
    try {
      await withServers(others, say, work, [...all, { contender, server, figures: {}, stored: 0 }]);
    } finally {
      await server.stop();
    }
  });
}

async function createInOrder(one: Running, seconds: number, hasLatency: boolean): Promise<void> {
  const { server, figures } = one;
  const warm = await atFullLoad(server, IN_ORDER, 0, WARM_SECONDS);
  const create = await atFullLoad(server, IN_ORDER, warm.requests, seconds);
  figures['create: CPU µs'] = create.cpu;
  figures['create: per second'] = create.rate;
  if (hasLatency) {
    const before = warm.requests + create.requests;
    figures['create: p99 at half load, ms'] = await atHalfLoad(server, IN_ORDER, before, create.rate, seconds);
  }
  // wrk did not wait for the last responses.
  one.stored = Math.max(1, warm.requests - 2 * UNDER_WAY);
}

async function read({ server, figures, stored }: Running, request: 'get' | 'list', seconds: number): Promise<void> {
  const workload = { request, ids: 'sequential' } as const;
  await load(server.url, { ...workload, stored, seconds: WARM_SECONDS });
  figures[`${request}: CPU µs`] = (await atFullLoad(server, workload, stored, seconds)).cpu;
}

async function createAtRandom({ server, figures }: Running, seconds: number): Promise<void> {
  const { cpu } = await atFullLoad(server, { request: 'create', ids: 'random' }, 0, seconds);
  figures['create at random: CPU µs'] = cpu;
}
