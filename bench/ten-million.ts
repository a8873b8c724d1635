/** Owns what ten million creates cost: the memory, and the CPU of a create with all that is put off. */
import { PLANT_STORE } from './contenders.ts';
import type { TenMillion } from './figures.ts';
import { loader, onServer, quiet } from './session.ts';

const CREATES = 10_000_000;
const WORKLOAD = { request: 'create', ids: 'sequential', stored: 0 } as const;
/** wrk runs for a time, not for a number: so long at a time, in seconds. */
const AT_A_TIME = 10;

export async function measureTenMillion(say: (text: string) => void): Promise<TenMillion> {
  return onServer(PLANT_STORE, WORKLOAD, {}, async (server) => {
    const run = loader(server, WORKLOAD);
    let creates = 0;
    let seconds = 0;
    while (creates < CREATES) {
      const seen = await run(AT_A_TIME);
      creates += seen.requests;
      seconds += seen.seconds;
      say(`${creates} creates, ${server.peakMemory().toFixed(0)} MB at the most`);
    }
    await quiet(server);
    const { user, system } = server.cpu();
    return {
      creates,
      seconds,
      cpu: { user: user / creates, system: system / creates },
      peakMemory: server.peakMemory(),
      memoryAfter: server.residentMemory(),
    };
  });
}
