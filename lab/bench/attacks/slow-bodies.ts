/** Each response keeps its whole body in memory for 30 s. */
import { type Attack, createHoard, repeat } from './attack.ts';

export const slowBodies: Attack = {
  row: 5,
  does: '200 lists of a full sandbox at the same time, each with the fault slow;rate=1',
  async prepare(client) {
    const token = await createHoard(client);
    const headers = { Fault: 'slow;rate=1' };
    return (signal) => repeat(200, signal, () => client.send({ path: '/plants?limit=1000', token, headers, signal }));
  },
};
