/** An IPv6 customer has many networks, and each network seems to belong to a different visitor. */
import { type Attack, repeat } from './attack.ts';

/** `bits`: the length of the prefix of the attacker's network, 56 or 48. */
export function networks(bits: 56 | 48): Attack {
  return {
    row: 9,
    does: `creates sandboxes from all the /64 networks of one /${bits}, 32 at the same time`,
    async prepare(client) {
      const subnets = 2 ** (64 - bits);
      let created = 0;
      return (signal) =>
        repeat(32, signal, () => {
          const n = created++;
          const address = `2001:db8:${bits}:${(n % subnets).toString(16)}::${(n % 65_536).toString(16)}`;
          return client.send({ method: 'POST', path: '/sandboxes', body: {}, address, signal });
        });
    },
  };
}
