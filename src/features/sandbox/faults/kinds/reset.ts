import type { FaultKind } from '../fault-kind.ts';
import { LOST_RESPONSE } from '../lost-response.ts';

export const reset: FaultKind = {
  ...LOST_RESPONSE,
  does: 'a connection that is reset (RST) without a response',
  variations: [[{ connection: 'first' }, 'a reset, but only of the first request of a connection']],
  pageSwitch: {
    label: 'Store the plant but drop the response',
    // The browser does not repeat the first request of a connection by itself.
    rule: {
      fault: { kind: 'reset', connection: 'first' },
      match: { operation: 'createPlant' },
      when: 'afterCommit',
    },
  },
  write(_fault, { request: { socket } }) {
    // Under TLS Node cannot send RST: the client sees an end without TLS's close_notify.
    if ('encrypted' in socket) socket.destroy();
    else socket.resetAndDestroy();
  },
};
