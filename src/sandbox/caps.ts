/** Limits the number of sandboxes, and of plants in each sandbox. */
import { Problem } from '../errors.ts';
import { createQueues } from './queue.ts';
import type { SandboxRecord } from './records.ts';
import { isDemo, type Sandbox, type SandboxContext } from './sandbox.ts';

export interface Caps {
  /** Throws a Problem (42901) if there is no room for another sandbox. */
  requireRoom(address: string): Promise<void>;
  /** Keeps the record of a new sandbox, or returns a Problem (42901) if there is no room for it. */
  add(record: SandboxRecord): Promise<Problem<42901> | undefined>;
  /** Whether there is room for another plant by the last count of this process. */
  hasRoomForPlant(sandbox: Sandbox): boolean;
  /** Counts the plants. Throws a Problem (40010) if there is no room for another plant and none has this id. */
  requireRoomForPlant(sandbox: Sandbox, id: bigint): Promise<void>;
}

/** How long a count of plants is trusted, in milliseconds. Other replicas may store plants meanwhile. */
const COUNT_FRESH = 10_000;
/** How long a count is trusted if the sandbox is less than half full. */
const COUNT_FRESH_BELOW_HALF = 60_000;
/** The Retry-After of a refused sandbox, in seconds. */
const RETRY_S = '60';

export function createCaps({ records, plants, limits, now, counts }: SandboxContext): Caps {
  const runInOrder = createQueues();

  const tooMany = (who: string, most: number): Problem<42901> => {
    counts.refused++;
    const count = `${most} ${most === 1 ? 'sandbox' : 'sandboxes'}`;
    const advice = 'Delete one of yours (DELETE /sandbox), or wait until one expires.';
    return new Problem(42901, `${who} already has ${count}, the maximum. ${advice}`, { 'Retry-After': RETRY_S });
  };
  /** The Problem of the cap that `more` sandboxes would exceed. */
  const problemOf = async (address: string, more: number): Promise<Problem<42901> | undefined> => {
    const { most, mostPerAddress } = limits;
    if ((await records.countOf(address, now())) + more > mostPerAddress) return tooMany('Your address', mostPerAddress);
    return (await records.count(now())) + more > most ? tooMany('The service', most) : undefined;
  };

  return {
    async requireRoom(address) {
      const problem = await problemOf(address, 1);
      if (problem !== undefined) throw problem;
    },
    // Additions run one after another, so that each counts the previous one.
    add: (record) =>
      runInOrder('add', async () => {
        const problem = await problemOf(record.address, 1);
        if (problem !== undefined) return problem;
        await records.add(record);
        // Other replicas may have added sandboxes at the same time. Each replica then removes its own sandbox.
        const exceeded = await problemOf(record.address, 0);
        if (exceeded !== undefined) await records.end(record.id, now());
        return exceeded;
      }),

    hasRoomForPlant(sandbox) {
      if (isDemo(sandbox)) return true;
      const { plants, at } = sandbox.counted;
      const fresh = plants < limits.plants / 2 ? COUNT_FRESH_BELOW_HALF : COUNT_FRESH;
      return plants < limits.plants && now() >= at && now() < at + fresh;
    },
    async requireRoomForPlant({ counted, store }, id) {
      counted.plants = (await plants.measure(store, limits.plants)).plants;
      counted.at = now();
      if (counted.plants < limits.plants || (await plants.get(store, id)) !== undefined) return;
      const advice = 'Delete plants, or reset the sandbox.';
      throw new Problem(40010, `The sandbox is full: its maximum number of plants is ${limits.plants}. ${advice}`);
    },
  };
}
