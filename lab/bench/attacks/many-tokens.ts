/** Each token has its own rate limit, so one visitor takes many tokens. */
import { type Attack, createSandboxes, repeat } from './attack.ts';

const RULES = [{ fault: { kind: 'status', status: 503 }, match: { operation: 'replacePlant' } }];

export const manyTokens: Attack = {
  row: 8,
  does: '50 sandboxes of one address, each with control operations and requests for plants without a pause',
  async prepare(client) {
    const tokens = await createSandboxes(client, 50);
    let id = 0;
    return (signal) =>
      repeat(50, signal, async (lane) => {
        const token = tokens[lane % tokens.length] ?? '';
        const as = { token, signal };
        await client.send({ ...as, method: 'PUT', path: '/sandbox/faults', body: RULES });
        await client.send({ ...as, path: '/sandbox' });
        await client.send({ ...as, method: 'POST', path: '/plants', body: { id: id++, name: 'Aloe vera' } });
        await client.send({ ...as, path: '/plants?limit=100' });
        await client.send({ ...as, path: '/sandbox/requests' });
        await client.send({ ...as, method: 'POST', path: '/sandbox/reset' });
        await client.createSandbox();
      });
  },
};
