/** Budgets for the bytes of long requests and responses that wait for their clients. */
import { retryLater } from '../errors.ts';
import { Budget, type Holder } from '../util/budget.ts';
import type { Exchange } from './exchange.ts';

/**
 * Makes room for bytes of a request or its response, until the response is sent or the connection has closed. Throws a
 * Problem if there is no room.
 */
export type Reserve = (exchange: Exchange, bytes: number) => void;

/** Responses up to this many bytes are not counted, because the limits on connections bound their memory. */
export const SHORT = 65_536;

/** Reserves an amount for a response, as Budget.reserve does, until it is sent or the connection has closed. */
export type ReserveUntilSent<Level extends string> = (
  outgoing: Exchange['outgoing'],
  holder: Holder<Level>,
  amount: number,
) => Level | 'all' | undefined;

/** Every amount of a response must have the same holder. */
export function reserveUntilSent<Level extends string>(budget: Budget<Level>): ReserveUntilSent<Level> {
  const sums = new Map<Exchange['outgoing'], number>();
  return (outgoing, holder, amount) => {
    const full = budget.reserve(holder, amount);
    if (full !== undefined) return full;
    // A destroyed response has already emitted 'close', so the amount would never be released.
    if (outgoing.destroyed) {
      budget.release(holder, amount);
      return undefined;
    }
    const before = sums.get(outgoing);
    sums.set(outgoing, (before ?? 0) + amount);
    if (before === undefined)
      outgoing.once('close', () => {
        budget.release(holder, sums.get(outgoing) ?? 0);
        sums.delete(outgoing);
      });
    return undefined;
  };
}

/**
 * Limits the bytes of all long requests and responses that wait for their clients: a list of 1,000 plants can have
 * 12 MB. Beyond the limit, throws a Problem (50301).
 */
export function limitUnread(limit: number): Reserve {
  const reserve = reserveUntilSent(new Budget({ all: limit }));
  return ({ outgoing }, bytes) => {
    if (reserve(outgoing, {}, bytes) !== undefined)
      throw retryLater(50301, 'Too many long requests and responses wait for their clients', 1);
  };
}
