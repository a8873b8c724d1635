import { hangUp } from '../../../../http/connections/hang-up.ts';
import type { FaultKind } from '../fault-kind.ts';
import { LOST_RESPONSE } from '../lost-response.ts';

export const close: FaultKind = {
  ...LOST_RESPONSE,
  does: 'a connection that closes (FIN) without a response',
  example: {},
  variations: [
    [
      { connection: 'reused' },
      'an idle connection that closes when the next request arrives. `reset` also takes `connection`',
    ],
  ],
  write: (_fault, { request }) => hangUp(request.socket),
};
