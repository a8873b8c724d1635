/** Budgets for the bytes of long requests and responses that wait for their clients. */
import { retryLater } from '../errors.ts';
import { Budget } from '../util/budget.ts';
import type { Exchange } from './exchange.ts';

/**
 * Makes room for bytes of a request or its response, until the response is sent or the connection has closed. Throws a
 * Problem if there is no room.
 */
export type Reserve = (exchange: Exchange, bytes: number) => void;

/** Responses up to this many bytes are not counted, because the limits on connections bound their memory. */
export const SHORT = 65_536;
/** The bytes that count for an open stream, or for a request that waits for events. Only one piece waits at a time. */
export const OPEN_RESPONSE = SHORT + 1;

/**
 * Limits the bytes of all long requests and responses that wait for their clients: a list of 1,000 plants can have
 * 12 MB. Beyond the limit, throws a Problem (50301).
 */
export function limitUnread(limit: number): Reserve {
  const budget = new Budget({ all: limit });
  return ({ outgoing }, bytes) => {
    if (budget.reserveUntilClosed(outgoing, {}, bytes) !== undefined)
      throw retryLater(50301, 'Too many long requests and responses wait for their clients', 1);
  };
}
