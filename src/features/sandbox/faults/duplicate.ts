import { eventMember, reasonAgainstEvents, repeatEvent } from '../event-responses.ts';
import type { FaultKind } from '../fault-kind.ts';

export const duplicate: FaultKind = {
  does: 'for listEvents, a page or a stream that has one event twice: the first, or the one at the place `event`',
  example: {},
  variations: [[{ event: 3 }, 'the same for the third event']],
  allows: eventMember('the place of the event in the response. A response with fewer events is complete'),
  reasonAgainst: (_fault, operation) => reasonAgainstEvents(operation),
  result: (fault, result) => repeatEvent(fault, result, 2),
};
