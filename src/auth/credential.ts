/** Reads the credential of a request, and checks whether its scopes permit the operation. */
import { Problem } from '../errors.ts';
import type { StoreName } from '../plants/plant.ts';

export interface Credential {
  /** Identifies the credential in limits and logs. It is never the secret. */
  readonly id: string;
  readonly store: StoreName;
  readonly scopes: ReadonlySet<string>;
  /** A likely reason why scopes are missing, for the log. */
  readonly hint?: string;
  /** Whether anyone can obtain this credential without the operator. */
  readonly isPublic?: boolean;
}

/** Finds the credential of a bearer token. Throws a Problem: 40101, 40102, or 50300 if the issuer cannot be reached. */
export type Authenticate = (token: string) => Credential | Promise<Credential>;

const REALM = 'Bearer realm="plant-store"';
const INVALID = { 'WWW-Authenticate': `${REALM}, error="invalid_token"` };

const NOT_VALID =
  'The token is not valid: it is unknown, revoked or malformed. Create one with `plantstore token create`.';
const EXPIRED = 'The token has expired. Create one with `plantstore token create`.';

/** `why` is only logged, since it would help a client that guesses tokens. */
export function notValid(why: string, message = NOT_VALID): Problem<40101> {
  return new Problem(40101, message, INVALID, { why });
}

export function expired(why: string, message = EXPIRED): Problem<40102> {
  return new Problem(40102, message, INVALID, { why });
}

/** Throws a Problem (40300) that names every scope that the operation needs (RFC 6750, section 3.1). */
export function requireScopes({ scopes, hint }: Credential, needed: readonly string[]): void {
  if (needed.every((scope) => scopes.has(scope))) return;
  const list = needed.join(' ');
  const message = `The token lacks the scope ${list}.`;
  const challenge = { 'WWW-Authenticate': `${REALM}, error="insufficient_scope", scope="${list}"` };
  throw new Problem(40300, message, challenge, hint === undefined ? {} : { why: `${message} ${hint}` });
}

const NO_TOKEN =
  'This operation needs a token. Send it as Authorization: Bearer <token>. ' +
  'Create one with `plantstore token create`.';

/** RFC 6750, section 3: without a credential the challenge has no error code. */
function absent(why: string, message: string): Problem<40100> {
  return new Problem(40100, message, { 'WWW-Authenticate': REALM }, { why });
}

const BEARER = /^bearer(?: +(.*))?$/i;
/** RFC 6750, section 2.1: b64token. */
const B64TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;

/**
 * Reads the token of an Authorization field (RFC 9110, 11.6.2: the scheme ignores case). Throws 40100, with the message
 * `noToken`, or 40101.
 */
export function bearerToken(authorization: string | undefined, noToken = NO_TOKEN): string {
  if (authorization === undefined) throw absent('there is no Authorization field', noToken);
  const match = BEARER.exec(authorization);
  if (match === null) throw absent('its scheme is not Bearer', noToken);
  const [, token = ''] = match;
  // Documentation pages send only the scheme until the user types a token.
  if (token === '') throw absent('there is no token after Bearer', noToken);
  if (!B64TOKEN.test(token)) throw notValid('it contains a character that is not allowed in a token');
  return token;
}
