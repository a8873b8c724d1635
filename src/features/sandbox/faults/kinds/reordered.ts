import type { FaultKind } from '../fault-kind.ts';

export const reordered: FaultKind = {
  does:
    'for messages of webhooks, the next message first, then this message, and later the next message again. It ' +
    'happens only if the next message already exists',
  example: {},
  isOnlyForDeliveries: true,
  canDeliver: ({ next }) => next !== undefined,
  async deliver(_fault, delivery, { own }) {
    const { next, seconds, sign, send } = delivery;
    if (next !== undefined) await send(next, sign(next, seconds));
    return own(delivery);
  },
};
