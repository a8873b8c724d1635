import { type FaultKind, integer, oneOf, type PlannedFault } from '../fault-kind.ts';
import { leftProblem } from '../requested-problem.ts';
import { pause, pauseWithClient } from '../wait.ts';

const isLate = ({ leave, isAfterCommit }: PlannedFault): boolean => leave === 'continue' && !isAfterCommit;

export const delay: FaultKind<'ms'> = {
  does: 'a response that is late by `ms`, up to 30,000. For messages of webhooks, a message that is late by `ms`',
  example: { ms: 2_000 },
  variations: [
    [{ ms: 2_000, leave: 'continue' }, 'the same, but the service carries out the request even if its client leaves'],
  ],
  needs: {
    ms: integer(1, 30_000, 'the milliseconds before the operation, before the response, or before the message'),
  },
  allows: {
    leave: oneOf(
      ['cancel', 'continue'],
      'what happens if the client closes the connection, or its side of it, before the operation. cancel: the ' +
        'request is not carried out, and a client that still reads gets 503. continue: the request is carried out ' +
        'late. Default: cancel',
    ),
  },
  pageSwitch: { label: 'Delay every request by 2 s', rule: { fault: { kind: 'delay', ms: 2_000 } } },
  waits: () => true,
  isLate,
  async before(fault, exchange) {
    await (isLate(fault) ? pause(fault.ms, exchange.stopping) : pauseWithClient(exchange, fault.ms));
    return exchange.hasLeft && !isLate(fault) ? leftProblem() : undefined;
  },
  async after({ ms }, exchange) {
    await pauseWithClient(exchange, ms);
    return undefined;
  },
  async deliver({ ms }, delivery, { own }) {
    // Otherwise the late messages of a few sandboxes could hold all turns.
    await delivery.rest(() => pause(ms, delivery.signal));
    return own(delivery);
  },
};
