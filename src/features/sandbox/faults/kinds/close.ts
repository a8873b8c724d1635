import { hangUp } from '../../../../http/connections/hang-up.ts';
import type { FaultKind } from '../fault-kind.ts';
import { LOST_RESPONSE } from '../lost-response.ts';

export const close: FaultKind = {
  ...LOST_RESPONSE,
  does: 'a connection that closes (FIN) without a response',
  variations: [
    [
      { connection: 'reused' },
      'the same, but only on a connection that had a request before. `reset` also takes `connection`',
    ],
  ],
  write: (_fault, { request }) => hangUp(request.socket),
};
