/** Limits the number of sandboxes. */
import { Problem } from '../errors.ts';
import { createQueues } from './queue.ts';
import type { SandboxRecord } from './records.ts';
import type { SandboxContext } from './sandbox.ts';

export interface Caps {
  /** Throws a Problem (42901) if there is no room for another sandbox. */
  requireRoom(address: string): Promise<void>;
  /** Keeps the record of a new sandbox, or returns a Problem (42901) if there is no room for it. */
  add(record: SandboxRecord): Promise<Problem<42901> | undefined>;
}

/** The Retry-After of a refused sandbox, in seconds. */
const RETRY_S = '60';

export function createCaps({ records, limits, now, counts }: SandboxContext): Caps {
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
  };
}
