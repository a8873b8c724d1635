/** Sandboxes: private stores that anyone can create, until they expire. */
import { createHmac } from 'node:crypto';
import { generateToken, hashToken } from '../../auth/token.ts';
import { StartupError } from '../../errors.ts';
import type { ClientAddress } from '../../http/connections/client-address.ts';
import type { Exchange } from '../../http/exchange.ts';
import { readGarden } from '../../plants/garden.ts';
import { randomName } from '../../util/random-name.ts';
import { createSandboxCache, type SandboxCache } from './cache.ts';
import { writeRules } from './faults/rules.ts';
import type { FaultRules, FirstPlants } from './sandbox.generated.ts';
import { DEMO_ID, NEVER, type SandboxContext, storeOf, TOKEN_PREFIX } from './sandbox.ts';
import { createCaps } from './sandbox-caps.ts';
import { NO_ADDRESS, type Sandbox } from './sandbox-records.ts';
import { createSnapshots, type Snapshots } from './snapshots.ts';

/** How long an unused sandbox lives, in milliseconds. */
const UNUSED_TTL = 3_600_000;

/** The client that asks for a sandbox. */
export type NewClient = Pick<Exchange, 'address' | 'outgoing'>;

export interface Sandboxes extends Pick<SandboxCache, 'get' | 'find'> {
  readonly snapshots: Snapshots;
  /** The `address` of a record. The address itself is not stored, since limits only need to distinguish addresses. */
  hashAddress(address: ClientAddress): string;
  /**
   * Creates a sandbox and its token for a client. `ttl` is in milliseconds. Throws a Problem (42901) if there is no
   * room for it, or ClientGone.
   */
  create(client: NewClient, plants: FirstPlants, ttl?: number): Promise<{ sandbox: Sandbox; token: string }>;
  /** Creates the sandbox of a demo: a token, the garden and rules. It counts towards no cap and never expires. */
  createDemo(token: string, rules: FaultRules): Promise<void>;
  /** Must be called before the first operation on the plants of a sandbox, which extends its life. */
  use(sandbox: Sandbox): Promise<void>;
  /** Ends a sandbox. This process refuses its token immediately, other replicas refuse it within a second. */
  end(sandbox: Sandbox): Promise<void>;
  setFaults(sandbox: Sandbox, rules: FaultRules): Promise<void>;
}

/** `key`: of the database. It makes the hashes of addresses. */
export function createSandboxes(context: SandboxContext, key: Uint8Array): Sandboxes {
  const { records, limits, now, counts } = context;
  const cache = createSandboxCache(context);
  const addRecord = createCaps(context);
  const snapshots = createSnapshots(context, cache.find);
  const hashAddress: Sandboxes['hashAddress'] = ({ site, network }) =>
    [...(site === undefined ? [] : [site]), network]
      .map((part) => createHmac('sha256', key).update(part).digest('base64url'))
      .join('/');

  return {
    snapshots,
    hashAddress,

    async create(client, plants, ttl = limits.sandboxTtl) {
      const token = generateToken(TOKEN_PREFIX);
      const [id, createdAt] = [randomName(12), now()];
      const end = createdAt + Math.min(ttl, limits.sandboxTtl);
      const sandbox: Sandbox = {
        id,
        hash: hashToken(token),
        address: hashAddress(client.address),
        plants,
        store: storeOf(id),
        createdAt,
        expiresAt: Math.min(end, createdAt + UNUSED_TTL),
        extendsTo: end > createdAt + UNUSED_TTL ? end : undefined,
        faults: '',
      };
      const problem = await addRecord(sandbox, client);
      if (problem !== undefined) throw problem;
      // If this fails, nobody learns the token, and the sandbox expires unused.
      await snapshots.fill(sandbox);
      counts.created++;
      return { sandbox, token };
    },

    async createDemo(token, rules) {
      const { length } = readGarden();
      if (length > limits.sandboxPlants) {
        const why = `a demo begins with ${length} plants, and --sandbox-plants allows ${limits.sandboxPlants}`;
        throw new StartupError(`${why}; allow at least ${length}`);
      }
      const store = storeOf(DEMO_ID);
      const lasting = { plants: 'garden', store, createdAt: now(), expiresAt: NEVER } as const;
      const faults = writeRules(rules);
      const demo: Sandbox = { id: DEMO_ID, hash: hashToken(token), address: NO_ADDRESS, faults, ...lasting };
      await records.add(demo);
      await snapshots.fill(demo);
    },

    get: cache.get,
    find: cache.find,
    async use(sandbox) {
      // An earlier request may have extended it meanwhile. Extending it again changes nothing.
      await records.extend(sandbox, now());
      cache.forget(sandbox);
    },
    async end(sandbox) {
      await records.end(sandbox.id, now());
      cache.forget(sandbox);
    },
    async setFaults(sandbox, rules) {
      await records.setFaults(sandbox.id, writeRules(rules), now());
      cache.forget(sandbox);
    },
  };
}
