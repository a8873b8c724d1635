/** Compares what a receiver answered and stored with what it should have done. */
import type { ReceiverOutcome } from '../../util/meanings.ts';
import type { Message } from './message.ts';

/** A message that was sent, once or more. */
export interface Sent {
  /** The ids by which a receiver may store the message. A changed message may have two. */
  readonly ids: readonly string[];
  /**
   * `stored`: answer 2xx, and store it once. `acknowledged`: answer 2xx. Otherwise answer 4xx and store nothing; it is
   * what a receiver has done that stores the message.
   */
  readonly right: 'stored' | 'acknowledged' | 'accepted a forgery' | 'accepted a replay';
  /** The status of each response, in their order. Undefined: there was no response. */
  readonly answers: readonly (number | undefined)[];
  /** Whether the receiver may close the connection, since the body is too large. */
  readonly mayClose?: true;
  /** What was sent. Undefined: the service sent it. */
  readonly message?: Message;
}

const isIn = (first: number, answer: number | undefined) => answer !== undefined && Math.floor(answer / 100) === first;
export const isSuccess = (answer: number | undefined): boolean => isIn(2, answer);

/** `stored`: the ids in the report of the receiver. */
export function judge({ ids, right, answers, mayClose }: Sent, stored: readonly string[]): ReceiverOutcome {
  const count = stored.filter((id) => ids.includes(id)).length;
  // A sender repeats a message until it is accepted, and the later messages wait.
  const isAccepted = isSuccess(answers.at(-1));
  if (right === 'acknowledged') return isAccepted ? 'verified' : 'lost';
  if (right === 'stored') {
    if (count > 1) return 'processed twice';
    return isAccepted && count === 1 ? 'verified' : 'lost';
  }
  if (count > 0) return right;
  if (answers.some(isSuccess)) return 'ignored';
  const isRefused = answers.every((answer) => isIn(4, answer) || (answer === undefined && mayClose));
  return isRefused ? 'verified' : 'failed';
}
