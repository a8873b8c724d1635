/** A page of events has up to 250 of them, each with two long names and tags. */
import { type Attack, repeat, WIDE } from './attack.ts';

const EVENTS = 500;

export const eventPages: Attack = {
  row: 12,
  does: 'four connections read pages of 250 of the longest events without a pause',
  options: ['--events'],
  async prepare(client) {
    const token = (await client.createSandbox()) ?? '';
    await client.send({ method: 'POST', path: '/plants', token, body: { id: 1, name: '' } });
    const replace = (i: number) =>
      client.send({ method: 'PUT', path: '/plants/1', token, body: { name: `${WIDE.slice(0, -20)}${i}`, tag: WIDE } });
    for (let i = 0; i < EVENTS; i += 20) await Promise.all(Array.from({ length: 20 }, (_, lane) => replace(i + lane)));
    return (signal) => repeat(4, signal, () => client.send({ path: '/events?limit=250', token, signal }));
  },
};
