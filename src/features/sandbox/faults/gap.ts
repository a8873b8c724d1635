import { eventMember, reasonAgainstEvents, repeatEvent } from '../event-responses.ts';
import type { FaultKind } from '../fault-kind.ts';

export const gap: FaultKind = {
  does:
    'for listEvents, a page or a stream without its first event, or without another event. A request with a cursor ' +
    'before the gap gets the event',
  example: {},
  variations: [[{ event: 3 }, 'the same without the third event']],
  allows: eventMember('the number of the event in the response, which is complete if it has fewer events'),
  reasonAgainst: (_fault, operation) => reasonAgainstEvents(operation),
  result: (fault, result) => repeatEvent(fault, result, 0),
};
