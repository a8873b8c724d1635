import type { FaultKind } from '../fault-kind.ts';

export const reordered: FaultKind = {
  does:
    'for messages of webhooks, the next message before this message, and later again. If there is no next message ' +
    'yet, the fault does not apply',
  isOnlyForDeliveries: true,
  canDeliver: ({ next }) => next !== undefined,
  async deliver(_fault, delivery, { own }) {
    const { next, seconds, sign, send } = delivery;
    if (next !== undefined) await send(next, sign(next, seconds));
    return own(delivery);
  },
};
