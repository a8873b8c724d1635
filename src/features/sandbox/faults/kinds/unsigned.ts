import type { FaultKind } from '../fault-kind.ts';

export const unsigned: FaultKind = {
  does: 'for messages of webhooks, a message without `webhook-signature`',
  isOnlyForDeliveries: true,
  deliver(_fault, { message, seconds, sign, send }) {
    const { 'webhook-signature': _, ...headers } = sign(message, seconds);
    return send(message, headers);
  },
};
