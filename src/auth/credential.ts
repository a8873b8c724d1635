/** Owns who is asking: the credential of a request, and whether it may do what it asks for. */
import { Problem } from '../errors.ts';
import type { StoreName } from '../plants/plant.ts';

export interface Credential {
  /** Tells credentials apart in limits and logs; never the secret. */
  readonly id: string;
  readonly store: StoreName;
  readonly scopes: ReadonlySet<string>;
}

/** What turns the text of a bearer token into a credential. */
export interface Authenticator {
  authenticate(token: string): Credential | Problem | Promise<Credential | Problem>;
}

const REALM = 'Bearer realm="plant-store"';

/** RFC 6750, section 3: without any credential the challenge carries no error code. */
function noCredential(): Problem<40100> {
  return new Problem(40100, 'This operation needs a credential: send Authorization: Bearer <token>.', {
    'WWW-Authenticate': REALM,
  });
}

export function notValid(): Problem<40101> {
  return new Problem(40101, 'The credential is not valid.', { 'WWW-Authenticate': `${REALM}, error="invalid_token"` });
}

export function expired(): Problem<40102> {
  return new Problem(40102, 'The credential has expired.', { 'WWW-Authenticate': `${REALM}, error="invalid_token"` });
}

/** RFC 6750, section 3.1: the challenge names every scope that the operation needs. */
export function scopeMissing(needed: readonly string[]): Problem<40300> {
  return new Problem(40300, `The credential lacks the scope ${needed.join(' ')}.`, {
    'WWW-Authenticate': `${REALM}, error="insufficient_scope", scope="${needed.join(' ')}"`,
  });
}

const BEARER = /^bearer(?: +(.*))?$/i;
/** RFC 6750, section 2.1: b64token. */
const B64TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;

/** The token of an Authorization field (RFC 9110, 11.6.2: the scheme's case does not matter), or why there is none. */
export function bearerToken(authorization: string | undefined): string | Problem {
  if (authorization === undefined) return noCredential();
  if (authorization.startsWith('Bearer ')) {
    const token = authorization.slice(7);
    if (B64TOKEN.test(token)) return token;
  }
  const match = BEARER.exec(authorization);
  if (match === null) return noCredential();
  const token = match[1] ?? '';
  return B64TOKEN.test(token) ? token : notValid();
}
