/** Each reset to a snapshot replaces all plants of a store, and each new snapshot reads them all. */
import { type Attack, createFilled, repeat } from './attack.ts';

const SANDBOXES = 8;

/** `together`: the number of requests at the same time. */
export function resets(together: number): Attack {
  return {
    row: 2,
    does: `${together} resets and snapshots at the same time, of ${SANDBOXES} full sandboxes`,
    async prepare(client) {
      const tokens: string[] = [];
      for (let i = 0; i < SANDBOXES; i++) {
        const { token } = await createFilled(client);
        await client.send({ method: 'POST', path: '/sandbox/snapshots', token });
        tokens.push(token);
      }
      return (signal) =>
        repeat(together, signal, (lane) => {
          const token = tokens[lane % SANDBOXES] ?? '';
          // Each sandbox gets resets and snapshots.
          const isSnapshot = Math.floor(lane / SANDBOXES) % 8 === 1;
          const path = isSnapshot ? '/sandbox/snapshots' : '/sandbox/reset?snapshot=1';
          return client.send({ method: 'POST', path, token, signal });
        });
    },
  };
}
