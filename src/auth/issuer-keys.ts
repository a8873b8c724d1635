/** Owns the issuer's public keys: finding them, keeping them, following their rotation, and outliving its downtime. */
import { createRemoteJWKSet, errors, type JWTVerifyGetKey } from 'jose';
import type { Logger } from '../observe/log.ts';
import { isSecureUrl } from './secure-url.ts';

export interface KeyTimes {
  /** Keys older than this are fetched again beside the requests; a key that was withdrawn goes within twice of it. */
  readonly refresh: number;
  /** An unknown key id leads to a fetch at most this often: strangers choose key ids. */
  readonly cooldown: number;
  /** After a failed fetch, the time until the next attempt. */
  readonly retry: number;
  /** What a fetch may take. */
  readonly timeout: number;
}

/** In milliseconds. */
export const KEY_TIMES: KeyTimes = { refresh: 600_000, cooldown: 30_000, retry: 5_000, timeout: 5_000 };

/** The key that a token names is not known, and the issuer cannot be asked. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable';
}

export interface IssuerKeys {
  /** The key for a token's header. Rejects with KeysUnavailable, or a JOSEError when the issuer has no such key. */
  readonly find: JWTVerifyGetKey;
  /** Logs that a key found cannot be used; once for each key id, since any stranger can name it again and again. */
  unusable(kid: string | undefined, error: unknown): void;
  /** Fetches the keys ahead of the first token; a failure is logged and does no harm. */
  warm(): void;
}

/** `jwksUrl` undefined: what the issuer's discovery document says. Pauses are measured by a clock that nobody sets. */
export function createIssuerKeys(
  issuer: string,
  jwksUrl: string | undefined,
  times: KeyTimes,
  log: Logger,
): IssuerKeys {
  let remote: ReturnType<typeof createRemoteJWKSet> | undefined;
  let pending: Promise<void> | undefined;
  let attemptedAt = Number.NEGATIVE_INFINITY;
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let failing = false;
  const told = new Set<string | undefined>();

  const fetchKeys = async () => {
    try {
      // When to fetch is decided here: jose alone would stop serving known keys once they are old and the issuer is
      // down.
      remote ??= createRemoteJWKSet(new URL(jwksUrl ?? (await discover(issuer, times.timeout))), {
        cacheMaxAge: Number.POSITIVE_INFINITY,
        cooldownDuration: Number.POSITIVE_INFINITY,
        timeoutDuration: times.timeout,
      });
      await remote.reload();
      failing = false;
      fetchedAt = performance.now();
    } catch (error) {
      if (!failing) log.warn({ err: error, issuer }, 'the keys of the JWT issuer could not be fetched');
      failing = true;
      throw new KeysUnavailable('the keys of the JWT issuer could not be fetched', { cause: error });
    } finally {
      attemptedAt = performance.now();
    }
  };
  const load = () => {
    pending ??= fetchKeys().finally(() => {
      pending = undefined;
    });
    return pending;
  };
  const isSettled = (whenWell: number) => performance.now() - attemptedAt < (failing ? times.retry : whenWell);

  return {
    async find(header, token) {
      if (remote?.jwks() === undefined) {
        if (isSettled(0)) throw new KeysUnavailable('the keys of the JWT issuer could not be fetched just now');
        await load();
      } else if (!isSettled(times.refresh)) {
        const reloaded = load().catch(() => undefined);
        // After a quiet time the keys known may be long withdrawn: only then are newer ones waited for.
        if (performance.now() - fetchedAt >= 2 * times.refresh) await reloaded;
      }
      const keys = remote as NonNullable<typeof remote>;
      try {
        return await keys(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        // Rotated since, or made up: the issuer is asked, but not for every such token.
        if (isSettled(times.cooldown)) {
          if (failing) throw new KeysUnavailable('an unknown key, and the issuer cannot be asked', { cause: error });
          throw error;
        }
        await load();
        return keys(header, token);
      }
    },
    unusable(kid, error) {
      if (!told.has(kid)) log.warn({ err: error, issuer, kid }, 'a key of the JWT issuer cannot be used');
      told.add(kid);
    },
    warm: () => void load().catch(() => undefined),
  };
}

/** OpenID Connect Discovery 1.0, section 4. */
async function discover(issuer: string, timeout: number): Promise<string> {
  const response = await fetch(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, {
    headers: { accept: 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(timeout),
  });
  if (response.status !== 200) throw new Error(`discovery answered ${response.status}`);
  const document = (await response.json()) as { issuer?: unknown; jwks_uri?: unknown } | null;
  // Section 4.3: a document of another issuer must not lend its keys to this one.
  if (document?.issuer !== issuer) throw new Error('the discovery document is of another issuer');
  if (!isSecureUrl(document.jwks_uri)) throw new Error('the discovery document has no https jwks_uri');
  return document.jwks_uri;
}
