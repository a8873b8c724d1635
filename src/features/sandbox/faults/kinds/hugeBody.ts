import type { FaultKind } from '../fault-kind.ts';

/** Bytes. Many frameworks refuse a body over 100 KiB unless they are configured. */
const SIZE = 262_144;

export const hugeBody: FaultKind = {
  does: 'for messages of webhooks, a signed body of 256 KiB: it has one more member, `padding`',
  isOnlyForDeliveries: true,
  deliver(_fault, { message, seconds, sign, send }, { inTurn, reserve }) {
    return reserve(SIZE, async () => {
      const { body } = message;
      const frame = ',"padding":""';
      const padding = '.'.repeat(Math.max(0, SIZE - Buffer.byteLength(body) - frame.length));
      const huge = { ...message, body: `${body.slice(0, -1)}${frame.slice(0, -1)}${padding}"}` };
      return send(huge, await inTurn(() => sign(huge, seconds)));
    });
  },
};
