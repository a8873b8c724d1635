/** A list of a full sandbox takes long to read and to encode. */
import { type Attack, createHoard, repeat } from './attack.ts';

export const longLists: Attack = {
  row: 4,
  does: 'four connections list a full sandbox without a pause',
  async prepare(client) {
    const token = await createHoard(client);
    return (signal) => repeat(4, signal, () => client.send({ path: '/plants?limit=1000', token, signal }));
  },
};
