import type { FaultKind } from '../fault-kind.ts';

export const changedBody: FaultKind = {
  does: 'for messages of webhooks, a body that was changed after it was signed: the plant has another name',
  isOnlyForDeliveries: true,
  deliver: (_fault, { message, seconds, sign, send }) =>
    send({ ...message, body: change(message.body) }, sign(message, seconds)),
};

/** Inside of a JSON string each quote is escaped, so this finds only the member. A body without it gets a member. */
function change(body: string): string {
  const renamed = body.replace('"name":"', '"name":"Changed ');
  return renamed === body ? body.replace('{', '{"changed":true,') : renamed;
}
