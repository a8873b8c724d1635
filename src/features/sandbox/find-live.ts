/** Finds the sandbox of a token, and refuses tokens without one. */
import { expired, notValid } from '../../auth/credential.ts';
import type { SandboxCache } from './cache.ts';
import type { Sandbox, SandboxContext } from './sandbox.ts';

/**
 * The sandbox whose token has this hash. Rejects with a Problem if there is none (40101) or it has expired (40102).
 * `mayExist`: as in the cache.
 */
export type FindLive = (hash: string, mayExist?: () => boolean) => Promise<Sandbox>;

const NO_SUCH = 'The token is not valid: it belongs to no sandbox. Create a sandbox with POST /sandboxes.';
const EXPIRED = 'The sandbox has expired or was deleted. Create another with POST /sandboxes.';

export function createFindLive(cache: Pick<SandboxCache, 'find'>, { now }: Pick<SandboxContext, 'now'>): FindLive {
  return async (hash, mayExist) => {
    const sandbox = await cache.find(hash, mayExist);
    if (sandbox === undefined) throw notValid('it belongs to no sandbox', NO_SUCH);
    if (sandbox.expiresAt <= now()) throw expired(`the sandbox ${sandbox.id} has expired`, EXPIRED);
    return sandbox;
  };
}
