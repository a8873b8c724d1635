import type { FaultKind } from '../fault-kind.ts';

/** Seconds. Receivers accept 300 (Standard Webhooks 1.0 and its libraries). */
const AGE = 600;

export const oldTimestamp: FaultKind = {
  does: 'for messages of webhooks, a message that was signed ten minutes ago with the right secret',
  isOnlyForDeliveries: true,
  deliver: (_fault, { message, seconds, sign, send }) => send(message, sign(message, seconds - AGE)),
};
