/** Owns what a get waits while creates run: Plant Store on a slow disk, two wrk at once. */
import { PLANT_STORE } from './contenders.ts';
import type { Reads } from './figures.ts';
import type { Seen } from './load.ts';
import { atHalfLoad, loader, onServer, type Pace, type Run } from './session.ts';

const STORED = 1_000_000;
/** A light load: some 1,500 gets a second in all. */
const READERS: Pace = { connections: 16, think: 10 };
const WARM_UP_SECONDS = 2;

export async function measureReads(
  round: number,
  seconds: number,
  slowDisk: Readonly<Record<string, string>>,
): Promise<readonly Reads[]> {
  return onServer(PLANT_STORE, { stored: STORED, ids: 'random' }, slowDisk, async (server) => {
    const creates = loader(server, { request: 'create', ids: 'random', stored: STORED });
    const gets = loader(server, { request: 'get', ids: 'random', stored: STORED });
    let seen: Seen | undefined;
    const both: Run = async (time, pace) => {
      const [written, read] = await Promise.all([creates(time, pace), gets(time, READERS)]);
      seen = read;
      return written;
    };
    const reads = (load: Reads['creates'], createsPerSecond: number): Reads => {
      const { requests, seconds: time, p50, p99, p999 } = seen as Seen;
      return { round, creates: load, createsPerSecond, getsPerSecond: requests / time, p50, p99, p999 };
    };
    await both(WARM_UP_SECONDS);
    const { requests, seconds: time } = await both(seconds);
    const maximum = requests / time;
    const atFull = reads('full', maximum);
    const { share } = await atHalfLoad(maximum, seconds, both);
    return [atFull, reads('half', share * maximum)];
  });
}
