/** Each deleted sandbox and each reset leaves a store with plants to the sweep. */
import { type Attack, createSandboxes, repeat } from './attack.ts';

const PLANT = { name: '🌵'.repeat(1_024), tag: '🌵'.repeat(1_024) };
const PLANTS = 20;

export const leftovers: Attack = {
  row: 7,
  does: 'eight clients create, fill and delete sandboxes; eight clients fill and reset theirs',
  async prepare(client) {
    const tokens = await createSandboxes(client, 8);
    const fill = (token: string, signal: AbortSignal) =>
      Promise.all(
        Array.from({ length: PLANTS }, (_, id) =>
          client.send({ method: 'POST', path: '/plants', token, body: { id, ...PLANT }, signal }),
        ),
      );
    return (signal) =>
      repeat(16, signal, async (lane) => {
        const kept = tokens[lane];
        const token = kept ?? (await client.createSandbox({ plants: 'garden' }));
        if (token === undefined) return;
        await fill(token, signal);
        const ending = kept === undefined ? { method: 'DELETE', path: '/sandbox' } : undefined;
        await client.send({ token, signal, ...(ending ?? { method: 'POST', path: '/sandbox/reset' }) });
      });
  },
};
