/** Opaque tokens: a copy of the token store in memory, so that no request waits for a look-up. */
import { LruCache } from '../lru-cache.ts';
import type { Logger } from '../observe/log.ts';
import { type Credential, expired, notValid } from './credential.ts';
import { hashToken, isWellFormedToken, looksLikeJwt, type TokenStore, tokenId } from './token.ts';

/** How often a change by another process is looked for. A revocation takes effect within a second. */
const REFRESH_MS = 400;
/** How many tokens in use are cached by their text. Only known ones are, so strangers cannot fill the memory. */
const CACHED = 10_000;

interface Known {
  readonly credential: Credential;
  readonly expiresAt: number;
  readonly isRevoked: boolean;
}

/**
 * Reads every token once, and again when another process adds or revokes one. `fixed`: a token given in the
 * configuration, valid as long as the process.
 */
export async function openOpaqueTokens(
  records: TokenStore,
  fixed: { readonly token: string; readonly scopes: readonly string[] } | undefined,
  { now, log }: { readonly now: () => number; readonly log: Logger },
) {
  const load = async () => {
    const tokens = new Map<string, Known>();
    for (const { hash, store, scopes, expiresAt = Infinity, revokedAt } of await records.list()) {
      const isRevoked = revokedAt !== undefined;
      tokens.set(hash, { credential: { id: hash, store, scopes: new Set(scopes) }, expiresAt, isRevoked });
    }
    if (fixed !== undefined) {
      const credential = { id: 'configured', store: 'default', scopes: new Set(fixed.scopes) };
      tokens.set(hashToken(fixed.token), { credential, expiresAt: Infinity, isRevoked: false });
    }
    return tokens;
  };
  let revision = await records.revision();
  let known = await load();
  /** The known tokens that are in use, by their text: so each is hashed once, and not for every request. */
  let used = new LruCache<Known>(CACHED);
  let isFailing = false;
  let isClosed = false;
  const refresh = async () => {
    try {
      const current = await records.revision();
      if (current !== revision) {
        known = await load();
        used = new LruCache(CACHED);
        revision = current;
      }
      isFailing = false;
    } catch (error) {
      // Logged once an outage, during which the tokens last read stay valid.
      if (!isFailing && !isClosed) log.warn({ err: error }, 'tokens could not be read again');
      isFailing = true;
    }
  };
  const timer = setTimeout(() => void refresh().then(() => isClosed || timer.refresh()), REFRESH_MS).unref();

  return {
    // A token is looked up by its digest, and by its text only where the digest was found before. So the time of a look-up
    // tells an attacker nothing about how many characters of a guess were right: nobody can choose a token by its
    // SHA-256, nor by the seeded hash with which V8 finds its text in a map.
    authenticate(token: string): Credential {
      let found = used.get(token);
      if (found === undefined) {
        found = known.get(hashToken(token));
        if (found === undefined) throw notValid(whyUnknown(token));
        if (found.isRevoked) throw notValid(`the token ${tokenId(found.credential.id)} is revoked`);
        used.set(token, found);
      }
      if (found.expiresAt <= now()) throw expired(`the token ${tokenId(found.credential.id)} has expired`);
      return found.credential;
    },
    /** Looks for changes now: what this process itself added is valid once it resolves. */
    refresh,
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

/** Nothing of the token itself: it may be one of another service, sent here by mistake. */
function whyUnknown(token: string): string {
  if (looksLikeJwt(token)) return 'it is a JWT, and --jwt-issuer is not set';
  if (token.startsWith('pst_') && !isWellFormedToken(token)) return 'its length or its checksum is wrong';
  return 'it is unknown';
}
