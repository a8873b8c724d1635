/** The key set of a JWT issuer: found by discovery, reloaded, and kept while the issuer is down. */
import { createLocalJWKSet, createRemoteJWKSet, customFetch, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import type { Logger } from '../observe/log.ts';
import { isSecureUrl } from './secure-url.ts';

/** In milliseconds. */
export interface KeyTimes {
  /** The keys are loaded again this often: a withdrawn one is gone within it. */
  readonly reload: number;
  /** An unknown key id leads to a fetch at most this often: strangers choose key ids. */
  readonly cooldown: number;
  /** After a failed fetch, the time until the next one. */
  readonly pause: number;
  /** The longest that a fetch may take, discovery included. */
  readonly timeout: number;
}

export const KEY_TIMES: KeyTimes = { reload: 600_000, cooldown: 1_000, pause: 5_000, timeout: 5_000 };

/** Bytes of an issuer's document at most. They are a few KB. */
const MAX_DOCUMENT = 1_048_576;

/** The key that a token names is not known, and the issuer cannot be asked. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable';
}

export interface IssuerKeys {
  /** The key for a token's header. Rejects with KeysUnavailable, or a JOSEError when the issuer has no such key. */
  readonly find: JWTVerifyGetKey;
  /** Gives up a fetch under way, which would keep the process. */
  close(): void;
}

/** `jwksUrl` undefined: where the issuer's discovery document says. The first fetch begins at once. */
export function openIssuerKeys(issuer: string, jwksUrl: string | undefined, times: KeyTimes, log: Logger): IssuerKeys {
  const closing = new AbortController();
  let failedAt: number | undefined;
  const fetchKeys = async (timeout: AbortSignal): Promise<Response> => {
    if (failedAt !== undefined && performance.now() - failedAt < times.pause) {
      throw new KeysUnavailable('the keys of the JWT issuer could not be fetched just now');
    }
    const signal = AbortSignal.any([timeout, closing.signal]);
    try {
      // Discovered each time, since an issuer may keep its keys elsewhere by now.
      const keys = await fetchDocument(jwksUrl ?? (await discover(issuer, signal)), signal);
      createLocalJWKSet(keys as JSONWebKeySet);
      failedAt = undefined;
      return Response.json(keys);
    } catch (cause) {
      if (failedAt === undefined && !closing.signal.aborted) {
        log.warn({ err: cause, issuer }, 'the keys of the JWT issuer could not be fetched');
      }
      failedAt = performance.now();
      throw new KeysUnavailable('the keys of the JWT issuer could not be fetched', { cause });
    }
  };
  const keys = createRemoteJWKSet(new URL(jwksUrl ?? issuer), {
    // Without an end, as jose would forget the keys then: here they serve on while the issuer is down.
    cacheMaxAge: Number.POSITIVE_INFINITY,
    cooldownDuration: times.cooldown,
    timeoutDuration: times.timeout,
    [customFetch]: (_url, { signal }) => fetchKeys(signal),
  });
  const reload = () => void keys.reload().catch(() => undefined);
  const timer = setInterval(reload, times.reload).unref();
  reload();
  return {
    find: keys,
    close() {
      clearInterval(timer);
      closing.abort();
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

/** Fetches a JSON document, and stops at MAX_DOCUMENT: one that never ends would fill the memory. */
async function fetchDocument(url: string, signal: AbortSignal): Promise<unknown> {
  const headers = { accept: 'application/json, application/jwk-set+json' };
  const { status, body } = await fetch(url, { headers, redirect: 'error', signal });
  if (status !== 200) {
    await body?.cancel();
    throw new Error(`${new URL(url).pathname} answered ${status}`);
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > MAX_DOCUMENT) throw new Error(`${new URL(url).pathname} is longer than ${MAX_DOCUMENT} bytes`);
    chunks.push(chunk);
  }
  return JSON.parse(new TextDecoder().decode(Buffer.concat(chunks)));
}
