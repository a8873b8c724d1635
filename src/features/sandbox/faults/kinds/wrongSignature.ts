import { createHmac, randomBytes } from 'node:crypto';
import type { FaultKind } from '../fault-kind.ts';

export const wrongSignature: FaultKind = {
  does: 'for messages of webhooks, a signature that was made with another secret',
  isOnlyForDeliveries: true,
  deliver(_fault, { message, seconds, sign, send }) {
    const other = createHmac('sha256', randomBytes(32)).update(`${message.id}.${seconds}.${message.body}`);
    return send(message, { ...sign(message, seconds), 'webhook-signature': `v1,${other.digest('base64')}` });
  },
};
