import { eventMember, reasonAgainstEvents, repeatEvent } from '../event-responses.ts';
import type { FaultKind } from '../fault-kind.ts';

export const gap: FaultKind = {
  does: 'for listEvents, a page or a stream without its first event',
  variations: [[{ event: 3 }, 'for listEvents, a page or a stream without its third event']],
  allows: eventMember('the place of the event in the response. A response with fewer events is complete'),
  reasonAgainst: (_fault, operation) => reasonAgainstEvents(operation),
  result: (fault, result) => repeatEvent(fault, result, 0),
};
