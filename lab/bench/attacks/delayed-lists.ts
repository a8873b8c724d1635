/** Each response waits for 30 s after the store has read the whole list. */
import { type Attack, atRate, createHoard } from './attack.ts';

export const delayedLists: Attack = {
  row: 1,
  does: '50 lists a second of a full sandbox, each delayed by 30 s after the commit',
  async prepare(client) {
    const token = await createHoard(client);
    const headers = { Fault: 'delay;ms=30000;when=afterCommit' };
    return (signal) =>
      atRate(50, 5_000, signal, () => client.send({ path: '/plants?limit=1000', token, headers, signal }));
  },
};
