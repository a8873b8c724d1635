import { changeStream, eventMember, isEvent, reasonAgainstStream } from '../event-responses.ts';
import type { FaultKind } from '../fault-kind.ts';

export const silent: FaultKind = {
  does: 'for listEvents, a stream that stays open and sends nothing, not even heartbeats',
  allows: eventMember('the place of the first event that the stream does not send'),
  reasonAgainst: (_fault, operation, isStream) => reasonAgainstStream(operation, isStream),
  // The stream still ends when its client leaves or its credential is no longer valid.
  result: ({ event = 1 }, result) =>
    changeStream(result, async function* (pieces) {
      let left = event - 1;
      for await (const piece of pieces) {
        if (left > 0) yield piece;
        if (isEvent(piece)) left--;
      }
    }),
};
