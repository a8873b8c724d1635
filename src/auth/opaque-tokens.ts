/** Verifies opaque tokens against a copy of the token store in memory, so that no request waits for a look-up. */
import type { Logger } from '../observe/log.ts';
import { repeat } from '../util/repeat.ts';
import { type Credential, expired, notValid } from './credential.ts';
import {
  hashToken,
  isWellFormedToken,
  looksLikeJwt,
  looksOpaque,
  type TokenRecord,
  type TokenStore,
  tokenId,
  tokenStatus,
} from './token.ts';

/** The time between two reads of changes by other processes. A revocation must take effect within a second. */
const REFRESH_MS = 400;

interface KnownToken extends Pick<TokenRecord, 'expiresAt' | 'revokedAt'> {
  readonly credential: Credential;
}

export interface OpaqueTokens {
  /** Throws a Problem (40101, 40102) for a token that is not valid. */
  authenticate(token: string): Credential;
  isValid(id: string): boolean;
  /** Reads changes now. A token that this process added is valid once this resolves. */
  refresh(): Promise<void>;
  close(): void;
}

/**
 * Reads every token, and again when a process adds or revokes one. `fixed`: the token of the configuration, valid
 * unless it was revoked.
 */
export async function openOpaqueTokens(
  records: TokenStore,
  fixed: { readonly token: string; readonly scopes: readonly string[] } | undefined,
  { now, log }: { readonly now: () => number; readonly log: Logger },
): Promise<OpaqueTokens> {
  const load = async () => {
    const tokens = new Map<string, KnownToken>();
    for (const { hash, store, scopes, expiresAt, revokedAt } of await records.list())
      tokens.set(hash, { credential: { id: hash, store, scopes: new Set(scopes) }, expiresAt, revokedAt });
    if (fixed !== undefined) {
      // Another token of the configuration is another credential, so what belongs to this one ends with it.
      const id = hashToken(fixed.token);
      const credential = { id, store: 'default', scopes: new Set(fixed.scopes) };
      // The token may come from `token create`. Its revocation counts, since the operator was told that it works.
      tokens.set(id, { credential, expiresAt: undefined, revokedAt: tokens.get(id)?.revokedAt });
    }
    return tokens;
  };
  let revision = await records.revision();
  let known = await load();
  const readChanges = async () => {
    const current = await records.revision();
    if (current === revision) return;
    known = await load();
    revision = current;
  };
  const { now: refresh, close } = repeat(REFRESH_MS, readChanges, (error) =>
    log.warn({ err: error }, 'could not refresh the token list; the last known tokens stay valid'),
  );

  return {
    authenticate(token) {
      // The look-up by SHA-256 leaks no useful timing: nobody can choose the beginning of a token's digest.
      const found = known.get(hashToken(token));
      if (found === undefined) throw notValid(reasonForUnknown(token));
      const { credential } = found;
      const status = tokenStatus(found, now());
      if (status === 'revoked') throw notValid(`the token ${tokenId(credential.id)} is revoked`);
      if (status === 'expired') throw expired(`the token ${tokenId(credential.id)} has expired`);
      return credential;
    },
    isValid(id) {
      const found = known.get(id);
      return found !== undefined && tokenStatus(found, now()) === 'active';
    },
    refresh,
    close,
  };
}

/** Never repeats the token, which may belong to another service and be sent here by mistake. */
function reasonForUnknown(token: string): string {
  if (looksLikeJwt(token)) return 'it is a JWT, and --jwt-issuer is not set';
  if (looksOpaque(token) && !isWellFormedToken(token)) return 'its length or its checksum is wrong';
  return 'it is unknown';
}
