/** The key set of a JWT issuer. It is found by discovery, reloaded regularly, and kept while the issuer is down. */
import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from 'jose';
import { retryLater } from '../errors.ts';
import type { Logger } from '../observe/log.ts';
import { differs } from './jwt-refusal.ts';
import { isSecureUrl } from './secure-url.ts';

/** All times are in milliseconds. */
export interface KeyTimes {
  /** The time between two regular fetches. A withdrawn key stops working within this time. */
  readonly reload: number;
  /** Unknown key ids cause at most BURST fetches in this time, since strangers can invent key ids. */
  readonly cooldown: number;
  /** The time between a failed fetch and the next one. */
  readonly pause: number;
  /** The longest that a fetch may take, including discovery. */
  readonly timeout: number;
}

export const KEY_TIMES: KeyTimes = { reload: 600_000, cooldown: 5_000, pause: 5_000, timeout: 5_000 };

/** More than 1, to find a key that appears just after a fetch. */
const BURST = 5;
/** The most bytes of an issuer's document. Usual documents have a few KB. */
const MAX_DOCUMENT = 1_048_576;

export interface IssuerKeys {
  /** Finds the key for a token's header. Rejects with a Problem (50300) when the issuer cannot be reached. */
  readonly find: JWTVerifyGetKey;
  /** Stops fetching. A fetch under way would otherwise keep the process alive. */
  close(): void;
}

/** Fetches the keys immediately. Without `jwksUrl` their address comes from the issuer's discovery document. */
export function openIssuerKeys(issuer: string, jwksUrl: string | undefined, times: KeyTimes, log: Logger): IssuerKeys {
  const closing = new AbortController();
  const keys = createRemoteJWKSet(new URL(jwksUrl ?? issuer), {
    // jose's own timing uses a clock that may be set back. These options disable it.
    cacheMaxAge: Number.POSITIVE_INFINITY,
    cooldownDuration: Number.POSITIVE_INFINITY,
    timeoutDuration: times.timeout,
    async [customFetch](_url, { signal: timeout }) {
      const signal = AbortSignal.any([timeout, closing.signal]);
      // Discovered each time, since an issuer may move its keys.
      return new Response(await fetchDocument(jwksUrl ?? (await discover(issuer, signal)), signal));
    },
  });
  let isFailing = false;
  let timer: NodeJS.Timeout | undefined;
  // Three things cause a fetch: the timer, a token before the first fetch has ended, and a token with an unknown key.
  // The timer waits for `reload`, or for `pause` if the last fetch failed.
  const load = async () => {
    try {
      await keys.reload();
      isFailing = false;
    } catch (error) {
      if (!isFailing && !closing.signal.aborted)
        log.warn({ err: error, issuer }, 'the keys of the JWT issuer could not be fetched');
      isFailing = true;
    }
    clearTimeout(timer);
    if (!closing.signal.aborted) timer = setTimeout(load, isFailing ? times.pause : times.reload).unref();
  };
  void load();
  /** While fetches fail, only the timer tries again. */
  const loadForToken = async () => {
    if (!isFailing) await load();
    if (!isFailing) return;
    const seconds = Math.max(1, Math.ceil(times.pause / 1_000));
    throw retryLater(50300, 'The token cannot be verified, since its issuer cannot be reached', seconds, 'issuer');
  };
  let fetchesLeft = BURST;
  const find: JWTVerifyGetKey = async (header, token) => {
    if (!keys.fresh) await loadForToken();
    try {
      return await keys(header, token);
    } catch (error) {
      // Either the key is newer than the last fetch, or its id is invented.
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      if (!isFailing && !keys.reloading) {
        if (fetchesLeft === 0) throw error;
        fetchesLeft--;
        setTimeout(() => fetchesLeft++, times.cooldown).unref();
      }
      await loadForToken();
      return keys(header, token);
    }
  };
  const close = () => {
    closing.abort();
    clearTimeout(timer);
  };
  return { find, close };
}

/** OpenID Connect Discovery 1.0, section 4. */
async function discover(issuer: string, signal: AbortSignal): Promise<string> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const document = JSON.parse(await fetchDocument(url, signal)) as { issuer?: unknown; jwks_uri?: unknown } | null;
  // Section 4.3: a document of another issuer must not provide keys for this one.
  if (document?.issuer !== issuer) {
    const both = differs('its issuer', document?.issuer, '--jwt-issuer', issuer);
    throw new Error(`the discovery document belongs to another issuer: ${both}`);
  }
  if (!isSecureUrl(document.jwks_uri)) throw new Error('the discovery document has no https jwks_uri');
  return document.jwks_uri;
}

/** Fetches the text of a document. Fails after MAX_DOCUMENT bytes, since an endless document would fill the memory. */
async function fetchDocument(url: string, signal: AbortSignal): Promise<string> {
  const headers = { accept: 'application/json, application/jwk-set+json' };
  const { status, body } = await fetch(url, { headers, redirect: 'error', signal });
  if (status !== 200) {
    await body?.cancel();
    throw new Error(`${new URL(url).pathname} responded with ${status}`);
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > MAX_DOCUMENT) throw new Error(`${new URL(url).pathname} is longer than ${MAX_DOCUMENT} bytes`);
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}
