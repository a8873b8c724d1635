/** Verifies JWT access tokens by RFC 8725 and RFC 9068, and caches the results for up to a minute. */
import { hash } from 'node:crypto';
import { decodeProtectedHeader, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import type { ServeConfig } from '../config.ts';
import { Problem } from '../errors.ts';
import type { Logger } from '../observe/log.ts';
import { isStoreName } from '../plants/plant.ts';
import { type Authenticate, type Credential, expired, JWT_ID, notValid } from './credential.ts';
import { KEY_TIMES, type KeyTimes, openIssuerKeys } from './issuer-keys.ts';
import { whyRefused } from './jwt-refusal.ts';
import { hashToken } from './token.ts';

export interface JwtParts {
  readonly now: () => number;
  readonly log: Logger;
  readonly keyTimes?: KeyTimes | undefined;
}

/** Only asymmetric signatures. With HS256, a public key could be used as a shared secret (RFC 8725, section 2.1). */
const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');

/** Longer tokens are refused unread. Access tokens have 1 to 2 KB. */
const MAX_LENGTH = 8_192;
/** The most seconds that the clocks of the issuer and this service may differ. */
const CLOCK_TOLERANCE_S = 5;
/** The most verified tokens in the cache, and their longest time there, also after their key is withdrawn. */
const CACHED = 20_000;
const CACHED_MS = 60_000;

interface Verified {
  readonly credential: Credential;
  /** When it was verified. The clock may be set back: a token with a time in the future is verified again. */
  readonly since: number;
  readonly until: number;
}

export interface Jwts {
  readonly authenticate: Authenticate;
  close(): void;
}

/** `config`: must name an issuer. */
export function openJwts(config: ServeConfig, { now, log, keyTimes = KEY_TIMES }: JwtParts): Jwts {
  const { jwtIssuer: issuer = '', jwtAudience: audience = '', jwtTyp, jwksUrl } = config;
  const typ = jwtTyp === 'any' ? undefined : jwtTyp;
  const keys = openIssuerKeys(issuer, jwksUrl, keyTimes, log);
  const verified = new LRUCache<string, Verified>({ max: CACHED });
  /** Ids of keys that cannot be used. Each is logged once, since a stranger can send it in many requests. */
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
    // RFC 7515, section 4.1.11: this service supports no critical header, not even those that jose supports.
    if (header.crit !== undefined) throw new errors.JOSENotSupported('crit is not supported');
    return keys.find(header, token);
  };
  const problemOf = (error: unknown, token: string): Problem => {
    if (error instanceof errors.JWTExpired)
      return expired('JWT: its exp is past', 'The token has expired. Get a new one from its issuer.');
    if (error instanceof Problem) return error;
    // Any other error comes from WebCrypto or jose: the issuer's key is malformed, too short or private (JWKSInvalid).
    // The status is not 500, since a stranger can name the key as the `kid`.
    if (!(error instanceof errors.JOSEError) || error instanceof errors.JWKSInvalid) {
      const { kid } = decodeProtectedHeader(token);
      if (!unusable.has(kid)) log.warn({ err: error, issuer, kid }, 'a key of the JWT issuer cannot be used');
      unusable.add(kid);
      return invalidJwt('the key of its issuer cannot be used');
    }
    return invalidJwt(whyRefused(error, { issuer, audience, typ }, token));
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
    if (token.length > MAX_LENGTH) throw invalidJwt(`it is longer than ${MAX_LENGTH} characters`);
    const digest = hashToken(token);
    const found = verified.get(digest);
    const time = now();
    if (found !== undefined && found.since <= time && time < found.until) return found.credential;
    return verify(token, digest, time);
  };
  return { authenticate, close: keys.close };
}

function invalidJwt(why: string): Problem {
  return notValid(`JWT: ${why}`, 'The token is not valid. The log of the service contains the reason.');
}

/** Throws a Problem (40101) if the claim `store` is not the name of a store. */
function credentialOf(payload: JWTPayload, token: string): Credential {
  const store = Object.hasOwn(payload, 'store') ? payload['store'] : 'default';
  if (!isStoreName(store)) throw invalidJwt('its claim store is not the name of a store');
  const id = `${JWT_ID}${holderOf(payload, store) ?? signedPartOf(token)}`;
  // RFC 7519, section 2: the number may have a fraction, and any size.
  const endsAt = Math.min(Math.floor((payload.exp as number) * 1_000), Number.MAX_SAFE_INTEGER);
  return { id, store, scopes: new Set(scopesOf(payload)), endsAt, ...hintOf(payload) };
}

/** Identifies the holder, since a client may fetch a token for every request (RFC 9068, section 2.2). */
function holderOf({ sub, client_id: client }: JWTPayload, store: string): string | undefined {
  if (sub === undefined && client === undefined) return undefined;
  return hash('sha256', JSON.stringify([store, sub, client]), 'base64url');
}

/** Identifies the signed part of a token, since the signature itself has several valid spellings. */
function signedPartOf(token: string): string {
  return hashToken(token.slice(0, token.lastIndexOf('.')));
}

/** `scope` is a list in one text (RFC 8693, section 4.2). Some issuers write an array, or call it `scp`. */
function scopesOf({ scope, scp }: JWTPayload): string[] {
  return [scope, scp]
    .flat()
    .flatMap((list: unknown) => (typeof list === 'string' ? list.split(' ').filter(Boolean) : []));
}

/** Claims in which issuers put what could be meant as scopes. They are not used. */
const SIMILAR = ['scopes', 'permissions', 'roles', 'authorities', 'groups', 'realm_access', 'resource_access'];

function hintOf(payload: JWTPayload): Pick<Credential, 'hint'> {
  const unused = SIMILAR.filter((name) => Object.hasOwn(payload, name));
  if (unused.length === 0) return {};
  return { hint: `JWT: scopes come from its claims scope and scp only, and it also has ${unused.join(', ')}.` };
}
