/** Owns opaque tokens in force: a copy of the token store in memory, so that no request waits for a look-up. */
import type { Problem } from '../errors.ts';
import type { Logger } from '../observe/log.ts';
import { createRecent } from '../recent.ts';
import { type Authenticator, type Credential, expired, notValid } from './credential.ts';
import { hashToken } from './token.ts';
import type { TokenRecord, TokenStore } from './token-store.ts';

/** How often a change by another process is looked for. A revocation is in force within a second of it. */
const REFRESH_MS = 400;
/** How many tokens in use are remembered by their text. Only valid tokens are, so strangers cannot fill the memory. */
const RECENT = 10_000;

interface Known {
  readonly credential: Credential;
  readonly expiresAt: number;
}

interface OpaqueTokens extends Authenticator {
  authenticate(token: string): Credential | Problem;
  /** Looks for changes now: what this process itself added is in force once it resolves. */
  refresh(): Promise<void>;
  close(): void;
}

/** A token given in the configuration, in force as long as the process: for containers and CI. */
interface FixedToken {
  readonly token: string;
  readonly scopes: readonly string[];
}

/** Reads every token once, and again when another process adds or revokes one. */
export async function openOpaqueTokens(
  store: TokenStore,
  fixed: FixedToken | undefined,
  now: () => number,
  log: Logger,
): Promise<OpaqueTokens> {
  const always = new Map<string, Known>();
  if (fixed !== undefined) {
    const credential = { id: 'configured', store: 'default', scopes: new Set(fixed.scopes) };
    always.set(hashToken(fixed.token), { credential, expiresAt: Number.POSITIVE_INFINITY });
  }
  let revision = await store.revision();
  let known = await load(store, always);
  /** The known tokens that are in use, by their text: so each is hashed once, and not for every request. */
  let recent = createRecent<Known>(RECENT);
  let failing = false;
  let closed = false;
  const refresh = async () => {
    try {
      const current = await store.revision();
      if (current !== revision) {
        known = await load(store, always);
        recent = createRecent(RECENT);
        revision = current;
      }
      failing = false;
    } catch (error) {
      // Logged once an outage, during which the tokens last read stay in force.
      if (!failing && !closed) log.warn({ err: error }, 'tokens could not be read again');
      failing = true;
    }
  };
  const timer = setTimeout(() => {
    void refresh().then(() => {
      if (!closed) timer.refresh();
    });
  }, REFRESH_MS).unref();

  return {
    // A token is looked up by its digest, and by its text only where the digest was found before. So the time of a look-up
    // tells an attacker nothing about how many characters of a guess were right: nobody can choose a token by its
    // SHA-256, nor by the seeded hash with which V8 finds its text in a map. The token's checksum is not checked here,
    // since a token with a wrong one is never among those in memory.
    authenticate(token) {
      let found = recent.get(token);
      if (found === undefined) {
        found = known.get(hashToken(token));
        if (found === undefined) return notValid();
        recent.set(token, found);
      }
      return found.expiresAt > now() ? found.credential : expired();
    },
    refresh,
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}

async function load(store: TokenStore, always: ReadonlyMap<string, Known>): Promise<Map<string, Known>> {
  const known = new Map(always);
  for (const record of await store.list()) {
    if (record.revokedAt === undefined) known.set(record.hash, knownOf(record));
  }
  return known;
}

function knownOf(record: TokenRecord): Known {
  return {
    credential: { id: record.hash, store: record.store, scopes: new Set(record.scopes) },
    expiresAt: record.expiresAt ?? Number.POSITIVE_INFINITY,
  };
}
