/** Caches the sandboxes in use, and reads what other replicas changed. */
import { LRUCache } from 'lru-cache';
import { expired, notValid } from '../../auth/credential.ts';
import { createLookUp } from './batched-look-up.ts';
import type { SandboxContext } from './sandbox.ts';
import type { Sandbox } from './sandbox-records.ts';

export interface SandboxCache {
  /** The sandbox whose token has this hash, if it is cached, so that no usual request waits for `find`. */
  get(hash: string): Sandbox | undefined;
  /** Resolves to the sandbox whose token has this hash. Rejects with a Problem: unknown (40101) or expired (40102). */
  find(hash: string): Promise<Sandbox>;
  /** Must be called after this process has changed a sandbox. */
  forget(sandbox: Sandbox): void;
}

interface CachedSandbox {
  readonly sandbox: Sandbox;
  readonly readAt: number;
}

/** The most sandboxes that are cached. */
const CACHED = 10_000;
/** The most bytes of all cached sandboxes. */
const CACHED_BYTES = 32 * 2 ** 20;
/** The bytes of a record without its rules, and of a character of its rules. */
const RECORD_BYTES = 700;
const BYTES_PER_CHARACTER = 2;
/** The longest time that a sandbox stays cached, in milliseconds, even if the clocks of replicas differ. */
const LONGEST_CACHED = 60_000;

const NO_SUCH = 'The token is not valid: it belongs to no sandbox. Create a sandbox with POST /sandboxes.';
const EXPIRED = 'The sandbox has expired or was deleted. Create another with POST /sandboxes.';

export const noSuchSandbox = () => notValid('it belongs to no sandbox', NO_SUCH);

export function createSandboxCache({ records, times, limits, now }: SandboxContext): SandboxCache {
  /** The keys are hashes of tokens. Unknown tokens are not cached, so that strangers cannot fill the memory. */
  const newCache = () =>
    new LRUCache<string, CachedSandbox>({
      max: Math.min(CACHED, limits.sandboxes),
      maxSize: CACHED_BYTES,
      sizeCalculation: ({ sandbox }) => RECORD_BYTES + BYTES_PER_CHARACTER * sandbox.faults.length,
    });
  let cached = newCache();
  let checkedAt = Number.NEGATIVE_INFINITY;
  let checking: Promise<void> | undefined;
  /** The number of changes of sandboxes by this process. */
  let changes = 0;

  /** Whether fewer milliseconds have passed since a time. False if the clock was set back. */
  const isWithin = (milliseconds: number, since: number, time = now()) => time >= since && time - since < milliseconds;

  const lookUp = createLookUp(records.find, (record) => record.hash);
  const read = async (hash: string): Promise<Sandbox | undefined> => {
    const [readAt, changesBefore] = [now(), changes];
    const sandbox = await lookUp(hash);
    if (sandbox === undefined) cached.delete(hash);
    // If this process has changed a sandbox meanwhile, the record may be outdated.
    else if (changes === changesBefore) cached.set(hash, { sandbox, readAt });
    return sandbox;
  };

  /** One query refreshes the whole cache, since reading one sandbox costs as much as storing a plant. */
  const check = async () => {
    const began = now();
    // After a long pause the changed rows may already be deleted, so drop the cache.
    if (!isWithin(times.grace / 2, checkedAt)) cached = newCache();
    else {
      for (const record of await records.changed(began - times.grace)) {
        const known = cached.get(record.hash);
        if (known === undefined || known.readAt >= began) continue;
        cached.set(record.hash, { sandbox: record, readAt: began });
      }
    }
    checkedAt = began;
  };

  const get = (hash: string): Sandbox | undefined => {
    const time = now();
    const known = isWithin(times.fresh, checkedAt, time) ? cached.get(hash) : undefined;
    const isUsable = known && isWithin(LONGEST_CACHED, known.readAt, time) && time < known.sandbox.expiresAt;
    return isUsable ? known.sandbox : undefined;
  };

  return {
    get,
    async find(hash) {
      if (!isWithin(times.fresh, checkedAt)) {
        checking ??= check().finally(() => {
          checking = undefined;
        });
        await checking;
      }
      const sandbox = get(hash) ?? (await read(hash));
      if (sandbox === undefined) throw noSuchSandbox();
      if (sandbox.expiresAt <= now()) throw expired(`the sandbox ${sandbox.id} has expired`, EXPIRED);
      return sandbox;
    },
    forget({ hash }) {
      changes++;
      cached.delete(hash);
    },
  };
}
