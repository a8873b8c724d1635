/** A credential, and the Problems of tokens that are not valid. */
import { Problem } from '../errors.ts';
import type { StoreName } from '../plants/plant.ts';

export interface Credential {
  /** Identifies the credential in limits and logs. It is never the secret. */
  readonly id: string;
  readonly store: StoreName;
  readonly scopes: Pick<ReadonlySet<string>, 'has'>;
  /** A likely reason why scopes are missing, for the log. */
  readonly hint?: string;
  /** When a JWT expires, in milliseconds since 1970. The end of any other credential must be looked up. */
  readonly endsAt?: number;
  /** Whether anyone can obtain this credential without the operator. */
  readonly isPublic?: boolean;
}

/** Finds the credential of a bearer token. Throws a Problem: 40101, 40102, or 50300 if the issuer cannot be reached. */
export type Authenticate = (token: string) => Credential | Promise<Credential>;

/** Whether the credential with an id is still valid. A JWT ends by its own time, which nobody needs to look up. */
export type IsValid = (id: string) => boolean | Promise<boolean>;

/** How the id of a JWT's credential begins. No other id begins so. */
export const JWT_ID = 'jwt-';

export const REALM = 'Bearer realm="plant-store"';
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
