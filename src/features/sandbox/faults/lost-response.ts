/** What all kinds of faults that close the connection without a response have in common. */
import { type FaultKind, oneOf } from './fault-kind.ts';
import { takePlace } from './requested-problem.ts';

export const LOST_RESPONSE = {
  allows: {
    connection: oneOf(
      ['any', 'first', 'reused'],
      'whether the fault applies to any request, only to the first request of a connection, or only to a later one. ' +
        'Some clients repeat a request by themselves when a connection that they used before is reset. With first, ' +
        'most of them do not: while the rule has requests left, each response to the sandbox closes its connection. ' +
        'With reused, an idle connection closes as the request arrives. Default: any',
    ),
  },
  reaches: ({ connection = 'any' }, isFirst) => connection === 'any' || isFirst === (connection === 'first'),
  losesResponse: () => true,
  before: takePlace,
} satisfies Partial<FaultKind>;
