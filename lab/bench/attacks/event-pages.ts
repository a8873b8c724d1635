/** A page of events has up to 250 of them, each with two long names and tags. */
import { type Attack, createEvents, repeat } from './attack.ts';

export const eventPages: Attack = {
  row: 12,
  does: 'four connections read pages of 250 of the longest events without a pause',
  options: ['--events'],
  async prepare(client) {
    const token = (await client.createSandbox()) ?? '';
    await createEvents(client, token);
    return (signal) => repeat(4, signal, () => client.send({ path: '/events?limit=250', token, signal }));
  },
};
