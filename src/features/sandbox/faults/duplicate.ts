import { eventMember, reasonAgainstEvents, repeatEvent } from '../event-responses.ts';
import type { FaultKind } from '../fault-kind.ts';

export const duplicate: FaultKind = {
  does: 'for listEvents, a page or a stream that has its first event twice, or another event',
  example: {},
  variations: [[{ event: 3 }, 'the same for the third event']],
  allows: eventMember('the number of the event in the response, which is complete if it has fewer events'),
  reasonAgainst: (_fault, operation) => reasonAgainstEvents(operation),
  result: (fault, result) => repeatEvent(fault, result, 2),
};
