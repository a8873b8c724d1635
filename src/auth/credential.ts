/** The credential of a request: reading it, and whether it may do what is asked for. */
import { Problem } from '../errors.ts';
import type { StoreName } from '../plants/plant.ts';

export interface Credential {
  /** Tells credentials apart in limits and logs; never the secret. */
  readonly id: string;
  readonly store: StoreName;
  readonly scopes: ReadonlySet<string>;
}

/** Whose a bearer token is. Throws a Problem: 40101, 40102, or 50300 where the issuer of a JWT cannot be asked. */
export type Authenticate = (token: string) => Credential | Promise<Credential>;

const REALM = 'Bearer realm="plant-store"';
const INVALID = { 'WWW-Authenticate': `${REALM}, error="invalid_token"` };

export function notValid(): Problem<40101> {
  return new Problem(40101, 'The credential is not valid.', INVALID);
}

export function expired(): Problem<40102> {
  return new Problem(40102, 'The credential has expired.', INVALID);
}

/** Throws a Problem (40300) that names every scope that the operation needs (RFC 6750, section 3.1). */
export function requireScopes({ scopes }: Credential, needed: readonly string[]): void {
  if (needed.every((scope) => scopes.has(scope))) return;
  const list = needed.join(' ');
  throw new Problem(40300, `The credential lacks the scope ${list}.`, {
    'WWW-Authenticate': `${REALM}, error="insufficient_scope", scope="${list}"`,
  });
}

const BEARER = /^bearer(?: +(.*))?$/i;
/** RFC 6750, section 2.1: b64token. */
const B64TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;

/** The token of an Authorization field (RFC 9110, 11.6.2: the scheme's case does not matter). Throws 40100, 40101. */
export function bearerToken(authorization: string | undefined): string {
  const match = BEARER.exec(authorization ?? '');
  if (match === null) {
    const message = 'This operation needs a credential: send Authorization: Bearer <token>.';
    // RFC 6750, section 3: without any credential the challenge carries no error code.
    throw new Problem(40100, message, { 'WWW-Authenticate': REALM });
  }
  const [, token = ''] = match;
  if (!B64TOKEN.test(token)) throw notValid();
  return token;
}
