/** Owns the issuer's public keys: finding them, keeping them, following their rotation, and outliving its downtime. */
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import type { Logger } from '../observe/log.ts';
import { isSecureUrl } from './secure-url.ts';

export interface KeyTimes {
  /** Keys older than this are fetched again in the background; a withdrawn key is gone within twice this time. */
  readonly refresh: number;
  /** An unknown key id leads to a fetch at most this often: strangers choose key ids. */
  readonly cooldown: number;
  /** After a failed fetch, the time until the next attempt. */
  readonly retry: number;
  /** The longest that a fetch may take, the discovery of the keys' address included. */
  readonly timeout: number;
}

/** In milliseconds. */
export const KEY_TIMES: KeyTimes = { refresh: 600_000, cooldown: 30_000, retry: 5_000, timeout: 5_000 };

/** Bytes of an issuer's document at the most. They are a few KB. */
const MAX_DOCUMENT = 1_048_576;

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
  /** Gives up a fetch under way, which would keep the process. */
  close(): void;
}

/** `jwksUrl` undefined: what the issuer's discovery document says. Pauses are measured by a clock that nobody sets. */
export function createIssuerKeys(
  issuer: string,
  jwksUrl: string | undefined,
  times: KeyTimes,
  log: Logger,
): IssuerKeys {
  let keys: JWTVerifyGetKey | undefined;
  let pending: Promise<void> | undefined;
  let attemptedAt = Number.NEGATIVE_INFINITY;
  let failing = false;
  let closed = false;
  let attempt = new AbortController();
  const told = new Set<string | undefined>();

  const fetchKeys = async () => {
    attempt = new AbortController();
    const { signal } = attempt;
    const late = new Error(`the issuer did not answer within ${times.timeout} ms`);
    const timer = setTimeout(() => attempt.abort(late), times.timeout);
    try {
      // Discovered each time, since an issuer may keep its keys elsewhere by now.
      const url = jwksUrl ?? (await discover(issuer, signal));
      keys = createLocalJWKSet((await fetchDocument(url, signal)) as JSONWebKeySet);
      failing = false;
    } catch (error) {
      if (!failing && !closed) log.warn({ err: error, issuer }, 'the keys of the JWT issuer could not be fetched');
      failing = true;
      throw new KeysUnavailable('the keys of the JWT issuer could not be fetched', { cause: error });
    } finally {
      clearTimeout(timer);
      // What is left unread, as of an error, would keep its connection until it ends, which may be never.
      attempt.abort();
      attemptedAt = performance.now();
    }
  };
  const load = () => {
    pending ??= fetchKeys().finally(() => {
      pending = undefined;
    });
    return pending;
  };
  const known: JWTVerifyGetKey = (header, token) => (keys as JWTVerifyGetKey)(header, token);
  const isSettled = (whenWell: number) => performance.now() - attemptedAt < (failing ? times.retry : whenWell);

  return {
    async find(header, token) {
      if (keys === undefined) {
        if (isSettled(0)) throw new KeysUnavailable('the keys of the JWT issuer could not be fetched just now');
        await load();
      } else if (!isSettled(times.refresh)) {
        const reloaded = load().catch(() => undefined);
        // After a time without requests the known keys may have been withdrawn long ago: only then does a request wait for
        // newer ones, and while the issuer is down none does so again.
        if (performance.now() - attemptedAt >= 2 * times.refresh) await reloaded;
      }
      try {
        return await known(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        // Either the keys were rotated since, or the key id is made up: the issuer is asked, but not for every such token.
        if (isSettled(times.cooldown)) {
          if (failing) {
            throw new KeysUnavailable('the key is unknown, and the issuer cannot be asked', { cause: error });
          }
          throw error;
        }
        await load();
        return known(header, token);
      }
    },
    unusable(kid, error) {
      if (!told.has(kid)) log.warn({ err: error, issuer, kid }, 'a key of the JWT issuer cannot be used');
      told.add(kid);
    },
    warm: () => void load().catch(() => undefined),
    close() {
      closed = true;
      attempt.abort();
    },
  };
}

/** OpenID Connect Discovery 1.0, section 4. */
async function discover(issuer: string, signal: AbortSignal): Promise<string> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const document = (await fetchDocument(url, signal)) as { issuer?: unknown; jwks_uri?: unknown } | null;
  // Section 4.3: a document of another issuer must not lend its keys to this one.
  if (document?.issuer !== issuer) throw new Error('the discovery document is of another issuer');
  if (!isSecureUrl(document.jwks_uri)) throw new Error('the discovery document has no https jwks_uri');
  return document.jwks_uri;
}

/** Fetches a JSON document of the issuer, and stops at MAX_DOCUMENT: one that never ends would fill the memory. */
async function fetchDocument(url: string, signal: AbortSignal): Promise<unknown> {
  const { status, body } = await fetch(url, {
    headers: { accept: 'application/json, application/jwk-set+json' },
    redirect: 'error',
    signal,
  });
  if (status !== 200) throw new Error(`${new URL(url).pathname} answered ${status}`);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > MAX_DOCUMENT) throw new Error(`${new URL(url).pathname} is longer than ${MAX_DOCUMENT} bytes`);
    chunks.push(chunk);
  }
  return JSON.parse(new TextDecoder().decode(Buffer.concat(chunks)));
}
