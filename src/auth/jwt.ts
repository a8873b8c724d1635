/** JWT access tokens: verified by RFC 8725 and RFC 9068, and cached for a while. */
import { hash } from 'node:crypto';
import { decodeProtectedHeader, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { Problem } from '../errors.ts';
import { LruCache } from '../lru-cache.ts';
import type { Logger } from '../observe/log.ts';
import { isStoreName } from '../plants/plant.ts';
import { type Authenticate, type Credential, expired, notValid } from './credential.ts';
import { KEY_TIMES, type KeyTimes, openIssuerKeys } from './issuer-keys.ts';
import { whyRefused } from './jwt-refusal.ts';
import { hashToken } from './token.ts';

interface JwtRules {
  /** Exactly the `iss` of every token. */
  readonly issuer: string;
  /** Among the `aud` of every token. */
  readonly audience: string;
  /** The `typ` of every token, or undefined to accept any (RFC 8725, section 3.11, advises against it). */
  readonly typ: string | undefined;
  /** Where the keys are; undefined: where the issuer's discovery document says. */
  readonly jwksUrl: string | undefined;
}

interface Surroundings {
  readonly now: () => number;
  readonly log: Logger;
  readonly keyTimes?: KeyTimes | undefined;
}

/** Asymmetric signatures only: with HS256 in the list, a public key could be used as a shared secret (RFC 8725, 2.1). */
const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');

/** Longer ones are refused unread. Access tokens are 1 to 2 KB. */
const MAX_LENGTH = 8_192;
/** Seconds by which the issuer's clock and ours may differ. */
const CLOCK_TOLERANCE_S = 5;
/** How many verified tokens are cached, and how long at most: tokens of a withdrawn key end within it. */
const CACHED = 20_000;
const CACHED_MS = 60_000;

interface Verified {
  readonly credential: Credential;
  /** When it was verified. The clock may be set back: a token that was verified later than now is verified again. */
  readonly since: number;
  readonly until: number;
}

export interface Jwts {
  readonly authenticate: Authenticate;
  close(): void;
}

export function openJwts(rules: JwtRules, { now, log, keyTimes = KEY_TIMES }: Surroundings): Jwts {
  const { issuer, audience, typ, jwksUrl } = rules;
  const keys = openIssuerKeys(issuer, jwksUrl, keyTimes, log);
  const verified = new LruCache<Verified>(CACHED);
  /** Key ids whose keys cannot be used: logged once each, since any stranger can name one again and again. */
  const unusable = new Set<string | undefined>();
  const options = {
    algorithms: ALGORITHMS,
    issuer,
    audience,
    requiredClaims: ['exp'],
    clockTolerance: CLOCK_TOLERANCE_S,
    ...(typ === undefined ? {} : { typ }),
  };
  const find: JWTVerifyGetKey = (header, token) => {
    // RFC 7515, section 4.1.11: nothing critical is understood here, not even what jose itself would take.
    if (header.crit !== undefined) throw new errors.JOSENotSupported('crit is not supported');
    return keys.find(header, token);
  };
  const problemOf = (error: unknown, token: string): Problem => {
    if (error instanceof errors.JWTExpired)
      return expired('JWT: its exp is past', 'The token has expired; its issuer makes a new one.');
    if (error instanceof Problem) return error;
    // Anything but a JOSEError comes from WebCrypto or jose and is about the issuer's key: it is malformed, or too short;
    // a JWKSInvalid says that it is a private one. Such a key verifies no token. It is no 500, since any stranger can
    // name it as the `kid`.
    if (!(error instanceof errors.JOSEError) || error instanceof errors.JWKSInvalid) {
      const { kid } = decodeProtectedHeader(token);
      if (!unusable.has(kid)) log.warn({ err: error, issuer, kid }, 'a key of the JWT issuer cannot be used');
      unusable.add(kid);
      return refused('the key of its issuer cannot be used');
    }
    return refused(whyRefused(error, rules, token));
  };
  const verify = async (token: string, digest: string, time: number): Promise<Credential> => {
    let payload: JWTPayload;
    try {
      ({ payload } = await jwtVerify(token, find, { ...options, currentDate: new Date(time) }));
    } catch (error) {
      throw problemOf(error, token);
    }
    const credential = credentialOf(payload, token);
    const end = ((payload.exp as number) + CLOCK_TOLERANCE_S) * 1_000;
    verified.set(digest, { credential, since: time, until: Math.min(end, time + CACHED_MS) });
    return credential;
  };
  const authenticate: Authenticate = (token) => {
    if (token.length > MAX_LENGTH) throw refused(`it is longer than ${MAX_LENGTH} characters`);
    const digest = hashToken(token);
    const found = verified.get(digest);
    const time = now();
    if (found !== undefined && found.since <= time && time < found.until) return found.credential;
    return verify(token, digest, time);
  };
  return { authenticate, close: keys.close };
}

function refused(why: string): Problem {
  return notValid(`JWT: ${why}`, 'The token is not valid; the log of the service says why.');
}

/** Throws a Problem (40101) when the `store` claim names no store. */
function credentialOf(payload: JWTPayload, token: string): Credential {
  const store = Object.hasOwn(payload, 'store') ? payload['store'] : 'default';
  if (!isStoreName(store)) throw refused('its claim store is not the name of a store');
  return { id: `jwt-${holderOf(payload, store) ?? signedPartOf(token)}`, store, scopes: new Set(scopesOf(payload)) };
}

/** A client that fetches a token for every request is still one holder (RFC 9068, section 2.2). */
function holderOf({ sub, client_id: client }: JWTPayload, store: string): string | undefined {
  if (sub === undefined && client === undefined) return undefined;
  return hash('sha256', JSON.stringify([store, sub, client]), 'base64url');
}

/** Whatever the signature covers: the signature itself can be spelled in several ways, each of which is valid. */
function signedPartOf(token: string): string {
  return hashToken(token.slice(0, token.lastIndexOf('.')));
}

/** `scope` is a list in one text (RFC 8693, section 4.2); `scp`, as some issuers write it, is either. */
function scopesOf({ scope, scp }: JWTPayload): string[] {
  const lists = [scope, ...(Array.isArray(scp) ? scp : [scp])];
  return lists.flatMap((list: unknown) => (typeof list === 'string' ? list.split(' ').filter(Boolean) : []));
}
