/** Counts requests in windows of time, and reports the limit (draft-ietf-httpapi-ratelimit-headers-10). */
import { LRUCache } from 'lru-cache';
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
  take(key: string): Counted;
  /** Takes back a request that was counted, because it was refused for another reason. */
  giveBack(key: string): void;
}

/**
 * The most keys that a limiter counts. A key takes about 120 bytes, and one provider of IPv6 can have 500,000 networks
 * that count separately. Beyond this number, the key that was idle for the longest time is counted anew.
 */
export const MOST_KEYS = 20_000;

/** Counts in this process. A key has the same limit at every other process. */
export function createRateLimiter(limit: RateLimit): RateLimiter {
  const { quota, window } = limit;
  /**
   * The requests of each key in its window, which begins with the first of them. The cache reads performance.now() each
   * time, since a copy of it could be older than the window, and the rest then longer than the whole window.
   */
  const counts = new LRUCache<string, number>({
    max: MOST_KEYS,
    ttl: window * 1_000,
    noUpdateTTL: true,
    ttlResolution: 0,
  });
  return {
    limit,
    take(key) {
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      const seconds = Math.max(1, Math.ceil(counts.getRemainingTTL(key) / 1_000));
      return { isOver: count > quota, remaining: Math.max(0, quota - count), seconds };
    },
    giveBack(key) {
      counts.set(key, (counts.get(key) ?? 1) - 1);
    },
  };
}

interface Limited {
  readonly credential: Credential | undefined;
  /** Header fields for any response. */
  headers: Readonly<Record<string, string>>;
}

/** Creates the step `limitRate`. A request that needs no credential has no limit here. */
export function limitCredentials({ quota, window }: RateLimit): (exchange: Limited) => void {
  const limiter = createRateLimiter({ quota, window });
  return (exchange) => {
    if (exchange.credential === undefined) return;
    const { isOver, remaining, seconds } = limiter.take(exchange.credential.id);
    exchange.headers = {
      RateLimit: `"default";r=${remaining};t=${seconds}`,
      'RateLimit-Policy': `"default";q=${quota};w=${window}`,
    };
    if (isOver) throw retryLater(42900, 'The rate limit is used up', seconds);
  };
}
