/** Limits the requests of each credential, and reports the limit (draft-ietf-httpapi-ratelimit-headers-10). */
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { RateLimit } from '../config.ts';
import { type Problem, retryLater } from '../errors.ts';
import type { Credential } from './credential.ts';

export interface RateLimiter {
  /** Counts a request. Resolves to fields for its response, and to a Problem if the request exceeds the limit. */
  take(
    credential: Credential,
  ): Promise<{ readonly headers: Record<string, string>; readonly problem?: Problem<42900> }>;
}

/** Counts in this process. A credential has the same limit at every other process. */
export function createRateLimiter({ quota, window }: RateLimit): RateLimiter {
  const limiter = new RateLimiterMemory({ points: quota, duration: window, keyPrefix: '' });
  // Rounded up, so that a retry is never too early. Limited to the window, since the library computes the rest with a
  // clock that may be set back.
  const secondsOf = ({ msBeforeNext }: RateLimiterRes) =>
    Math.min(Math.max(Math.ceil(msBeforeNext / 1_000), 1), window);
  const headersOf = (left: RateLimiterRes) => ({
    RateLimit: `"default";r=${left.remainingPoints};t=${secondsOf(left)}`,
    'RateLimit-Policy': `"default";q=${quota};w=${window}`,
  });
  return {
    async take({ id }) {
      try {
        return { headers: headersOf(await limiter.consume(id)) };
      } catch (left) {
        if (!(left instanceof RateLimiterRes)) throw left;
        return { headers: headersOf(left), problem: retryLater(42900, 'The rate limit is used up', secondsOf(left)) };
      }
    },
  };
}
