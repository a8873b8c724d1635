/** Each deleted sandbox leaves its plants to the sweep, and each reset replaces all plants. */
import { type Attack, createSandboxes, repeat, WIDE } from './attack.ts';

const PLANTS = 20;

export const leftovers: Attack = {
  row: 7,
  does: 'eight clients create, fill and delete sandboxes; eight clients reset sandboxes of about 50 plants',
  async prepare(client) {
    const tokens = await createSandboxes(client, 8, { plants: 'garden' });
    const reset = (token: string, signal: AbortSignal) =>
      client.send({ method: 'POST', path: '/sandbox/reset', token, signal });
    const createAndDelete = async (signal: AbortSignal) => {
      const token = await client.createSandbox();
      if (token === undefined) return;
      const add = (id: number) =>
        client.send({ method: 'POST', path: '/plants', token, body: { id, name: WIDE, tag: WIDE }, signal });
      await Promise.all(Array.from({ length: PLANTS }, (_, id) => add(id)));
      await client.send({ method: 'DELETE', path: '/sandbox', token, signal });
    };
    return (signal) =>
      repeat(16, signal, (lane) => {
        const token = tokens[lane];
        return token === undefined ? createAndDelete(signal) : reset(token, signal);
      });
  },
};
