/** Owns how much a credential may ask, and the header fields that tell it (draft-ietf-httpapi-ratelimit-headers-10). */
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { Problem } from '../errors.ts';

export interface RateLimit {
  /** Requests that a window allows. */
  readonly quota: number;
  /** Seconds that a window lasts, from a credential's first request in it. */
  readonly window: number;
}

interface Admission {
  /** RateLimit and RateLimit-Policy, as a flat list of names and values, for whatever is answered. */
  readonly fields: readonly string[];
  /** Why the request is refused, if it is. */
  readonly problem: Problem<42900> | undefined;
}

export interface RateLimiter {
  /** Counts a request of a credential. */
  admit(credentialId: string): Promise<Admission>;
}

/** Counts within this process: behind several, a credential has the limit at each. */
export function createRateLimiter({ quota, window }: RateLimit): RateLimiter {
  const limiter = new RateLimiterMemory({ points: quota, duration: window, keyPrefix: '' });
  const policy = `"default";q=${quota};w=${window}`;
  // Rounded up, so that a retry after this many seconds is never too early. At most the window, since the library computes
  // the rest by a clock that may be set back, but ends the window by a timer, which does not follow that clock.
  const secondsOf = ({ msBeforeNext }: RateLimiterRes) =>
    Math.min(Math.max(Math.ceil(msBeforeNext / 1_000), 1), window);
  const fieldsOf = (left: RateLimiterRes) => [
    'RateLimit',
    `"default";r=${left.remainingPoints};t=${secondsOf(left)}`,
    'RateLimit-Policy',
    policy,
  ];
  return {
    async admit(credentialId) {
      try {
        return { fields: fieldsOf(await limiter.consume(credentialId)), problem: undefined };
      } catch (left) {
        if (!(left instanceof RateLimiterRes)) throw left;
        const seconds = secondsOf(left);
        const message = `The rate limit is used up; retry after ${seconds} s.`;
        return { fields: fieldsOf(left), problem: new Problem(42900, message, { 'Retry-After': String(seconds) }) };
      }
    },
  };
}
