/** Budgets for the bytes of long requests and responses that wait for their clients. */
import { retryLater } from '../errors.ts';
import type { Exchange } from './exchange.ts';

/**
 * Makes room for bytes of a request or its response, until the response is sent or the connection has closed. Throws a
 * Problem if there is no room.
 */
export type Reserve = (exchange: Exchange, bytes: number) => void;

/** Responses up to this many bytes are not counted, because the limits on connections bound their memory. */
export const SHORT = 65_536;

/** Adds up amounts for each response. Releases their sum once it is sent or the connection has closed. */
export function tallyUntilSent(): (
  outgoing: Exchange['outgoing'],
  amount: number,
  release: (sum: number) => void,
) => void {
  const sums = new Map<Exchange['outgoing'], number>();
  return (outgoing, amount, release) => {
    // A destroyed response has already emitted 'close', so the amount would never be released.
    if (outgoing.destroyed) {
      release(amount);
      return;
    }
    const before = sums.get(outgoing);
    sums.set(outgoing, (before ?? 0) + amount);
    if (before !== undefined) return;
    outgoing.once('close', () => {
      release(sums.get(outgoing) ?? 0);
      sums.delete(outgoing);
    });
  };
}

/**
 * Limits the bytes of all long requests and responses that wait for their clients: a list of 1,000 plants can have
 * 12 MB. Beyond the limit, throws a Problem (50301).
 */
export function limitUnread(limit: number): Reserve {
  const tally = tallyUntilSent();
  let waiting = 0;
  return ({ outgoing }, bytes) => {
    if (waiting + bytes > limit)
      throw retryLater(50301, 'Too many long requests and responses wait for their clients', 1);
    waiting += bytes;
    tally(outgoing, bytes, (sum) => {
      waiting -= sum;
    });
  };
}
