/** Counts requests in windows of time, and reports the limit (draft-ietf-httpapi-ratelimit-headers-10). */
import { LRUCache } from 'lru-cache';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { RateLimit } from '../config.ts';
import { retryLater } from '../errors.ts';
import type { Credential } from './credential.ts';

/** The state of a key after a request was counted. */
export interface Counted {
  readonly isOver: boolean;
  /** How many requests the rest of the window allows. */
  readonly remaining: number;
  /** Until the end of the window: 1 to the window's length. A retry after this time is never too early. */
  readonly seconds: number;
}

export interface RateLimiter {
  readonly limit: RateLimit;
  /** Counts a request of a key, such as the id of a credential. */
  take(key: string): Promise<Counted>;
  /** Takes back a request that was counted, because it was refused for another reason. */
  giveBack(key: string): Promise<void>;
}

/**
 * The most keys that a limiter counts. A key takes about 750 bytes, and one provider of IPv6 can have 500,000 networks
 * that count separately. Beyond this number, the key that was idle for the longest time is counted anew.
 */
export const MOST_KEYS = 20_000;

/**
 * Counts in this process. A key has the same limit at every other process. The library keeps a key until the end of its
 * window.
 */
export function createRateLimiter(limit: RateLimit): RateLimiter {
  const { quota, window } = limit;
  const limiter = new RateLimiterMemory({ points: quota, duration: window, keyPrefix: '' });
  /** The keys in the order of their use, because the library cannot bound their number. */
  const keys = new LRUCache<string, true>({ max: MOST_KEYS, dispose: (_, key) => void limiter.delete(key) });
  const countedOf = ({ remainingPoints, msBeforeNext }: RateLimiterRes, isOver: boolean): Counted => ({
    isOver,
    remaining: remainingPoints,
    // Rounded up. Limited to the window, since the library computes the rest with a clock that may be set back.
    seconds: Math.min(Math.max(Math.ceil(msBeforeNext / 1_000), 1), window),
  });
  return {
    limit,
    async take(key) {
      keys.set(key, true);
      try {
        return countedOf(await limiter.consume(key), false);
      } catch (left) {
        if (!(left instanceof RateLimiterRes)) throw left;
        return countedOf(left, true);
      }
    },
    async giveBack(key) {
      await limiter.reward(key);
    },
  };
}

interface Limited {
  readonly credential: Credential | undefined;
  /** Header fields for any response. */
  headers: Readonly<Record<string, string>>;
}

/** Creates the step `limitRate`. A request that needs no credential has no limit here. */
export function limitCredentials({ quota, window }: RateLimit): (exchange: Limited) => Promise<void> {
  const limiter = createRateLimiter({ quota, window });
  return async (exchange) => {
    if (exchange.credential === undefined) return;
    const { isOver, remaining, seconds } = await limiter.take(exchange.credential.id);
    exchange.headers = {
      RateLimit: `"default";r=${remaining};t=${seconds}`,
      'RateLimit-Policy': `"default";q=${quota};w=${window}`,
    };
    if (isOver) throw retryLater(42900, 'The rate limit is used up', seconds);
  };
}
