import type { Outcome } from '../../../../feature.ts';
import { eventMember, reasonAgainstEvents, repeatEvent } from '../event-responses.ts';
import type { FaultKind } from '../fault-kind.ts';

const isSuccess = ({ status = 0 }: Outcome) => status >= 200 && status < 300;

export const duplicate: FaultKind = {
  does:
    'for listEvents, a page or a stream that has the first event twice. For messages of webhooks, a message that is ' +
    'sent twice',
  variations: [[{ event: 3 }, 'for listEvents, the third event twice']],
  allows: eventMember('the place of the event in the response. A response with fewer events is complete'),
  reasonAgainst: (_fault, operation) => reasonAgainstEvents(operation),
  result: (fault, result) => repeatEvent(fault, result, 2),
  async deliver(_fault, delivery, { own }) {
    const first = await own(delivery);
    const second = await own(delivery);
    return isSuccess(first) ? first : second;
  },
};
