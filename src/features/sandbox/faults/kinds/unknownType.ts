import { randomUUID } from 'node:crypto';
import type { FaultKind } from '../fault-kind.ts';

const TYPE = 'plant.watered';

export const unknownType: FaultKind = {
  does:
    `for messages of webhooks, a message of the unknown type ${TYPE} before the right message. ` +
    'It is signed, and has its own id',
  isOnlyForDeliveries: true,
  async deliver(_fault, delivery, { own }) {
    const { seconds, sign, send } = delivery;
    const id = `unknown_${randomUUID()}`;
    const timestamp = new Date(seconds * 1_000).toISOString();
    const unknown = { id, type: TYPE, body: JSON.stringify({ id, type: TYPE, timestamp, data: {} }) };
    await send(unknown, sign(unknown, seconds));
    return own(delivery);
  },
};
