/** Limits the requests that wait because of faults, since each holds a connection. */
import { setTimeout as sleep } from 'node:timers/promises';
import { retryLater } from '../errors.ts';
import type { Exchange } from '../http/exchange.ts';

/** How many requests may wait in this process at the same time. */
const MOST_WAITING = 5_000;

export class Waiting {
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Throws a Problem (50301) when no further request may wait. */
  requireRoom(): void {
    if (this.#count >= MOST_WAITING) throw retryLater(50301, 'Too many requests wait because of faults', 1, 'capacity');
  }

  /** Counts a request while it waits. */
  async hold(wait: () => Promise<void>): Promise<void> {
    this.#count++;
    try {
      await wait();
    } finally {
      this.#count--;
    }
  }
}

/** Waits, but only until the client leaves or the service stops. */
export async function pause(exchange: Exchange, milliseconds: number): Promise<void> {
  await sleep(milliseconds, undefined, { signal: exchange.signal }).catch(() => undefined);
}
