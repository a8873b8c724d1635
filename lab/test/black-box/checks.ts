/** Rules of the description that a client can check, each as a sentence and a few requests. */
import { CREDENTIAL_CHECKS } from './checks-credentials.ts';
import { HTTP_CHECKS } from './checks-http.ts';
import { INPUT_CHECKS } from './checks-input.ts';
import { LIST_CHECKS } from './checks-lists.ts';
import { STATE_CHECKS } from './checks-state.ts';
import { type Checks, type Tokens, World } from './world.ts';

export const CHECKS: Checks = {
  ...STATE_CHECKS,
  ...LIST_CHECKS,
  ...CREDENTIAL_CHECKS,
  ...INPUT_CHECKS,
  // The last of these uses up the rate limit of a token.
  ...HTTP_CHECKS,
};

/** A check may take this long, in milliseconds. A response that never comes fails the check. */
const LONGEST_MS = 30_000;

/** Runs each check, and yields the rules that do not hold. */
export async function* findBroken(url: string, tokens: Tokens, seed: number, checks: Checks = CHECKS) {
  const world = new World(url, tokens, seed);
  try {
    for (const [rule, check] of Object.entries(checks)) {
      const { promise: late, reject } = Promise.withResolvers<never>();
      const timer = setTimeout(() => reject(new Error(`no end after ${LONGEST_MS} ms`)), LONGEST_MS);
      try {
        await Promise.race([check(world), late]);
      } catch (error) {
        yield { rule, error };
      } finally {
        clearTimeout(timer);
      }
    }
  } finally {
    world.client.close();
  }
}
