/** The steps `authenticate` and `authorize`: who sends a request, and whether the operation is permitted. */
import type { IncomingMessage } from 'node:http';
import type { ServeConfig } from '../config.ts';
import { Problem } from '../errors.ts';
import { type Authenticate, type Credential, type IsValid, JWT_ID, notValid, REALM } from './credential.ts';
import type { JwtParts } from './jwt.ts';
import { type OpaqueTokens, openOpaqueTokens } from './opaque-tokens.ts';
import { looksLikeJwt, looksOpaque, type TokenStore } from './token.ts';

type Head = Pick<IncomingMessage, 'headers' | 'rawHeaders'>;

export interface Authenticator extends Pick<OpaqueTokens, 'refresh' | 'close'> {
  /** Finds the credential of a request. Throws a Problem: 401, or 50300 if the issuer of a JWT cannot be reached. */
  authenticate(exchange: { readonly request: Head }): Credential | Promise<Credential>;
  readonly isValid: IsValid;
}

/** Accepts the opaque tokens of a store and, if the configuration names an issuer, its JWTs. */
export async function openAuthenticator(
  config: ServeConfig,
  records: TokenStore,
  scopes: readonly string[],
  parts: JwtParts,
): Promise<Authenticator> {
  const fixed = config.token === undefined ? undefined : { token: config.token, scopes };
  const tokens = await openOpaqueTokens(records, fixed, parts);
  // Most services start without the code for JWTs.
  const jwts = config.jwtIssuer === undefined ? undefined : (await import('./jwt.ts')).openJwts(config, parts);
  // A token is never tried both as a JWT and as an opaque token.
  const find: Authenticate = (token) =>
    jwts !== undefined && !looksOpaque(token) && looksLikeJwt(token)
      ? jwts.authenticate(token)
      : tokens.authenticate(token);
  return {
    authenticate: ({ request }) => find(bearerToken(request)),
    isValid: (id) => tokens.isValid(id) || (jwts !== undefined && id.startsWith(JWT_ID)),
    refresh: tokens.refresh,
    close() {
      tokens.close();
      jwts?.close();
    },
  };
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
 * Reads the token of the Authorization field (RFC 9110, 11.6.2: the scheme ignores case). Throws 40100, with the
 * message `noToken`, or 40101.
 */
export function bearerToken(request: Head, noToken = NO_TOKEN): string {
  // A proxy might read the first field, and the service the second.
  if (isRepeated(request, 'authorization')) throw notValid('Authorization was sent twice');
  const { authorization } = request.headers;
  if (authorization === undefined) throw absent('there is no Authorization field', noToken);
  const match = BEARER.exec(authorization);
  if (match === null) throw absent('its scheme is not Bearer', noToken);
  const [, token = ''] = match;
  // Documentation pages send only the scheme until the user types a token.
  if (token === '') throw absent('there is no token after Bearer', noToken);
  if (!B64TOKEN.test(token)) throw notValid('it contains a character that is not allowed in a token');
  return token;
}

/** Whether a header field was sent more than once. Node keeps only one of several. `name` is in lower case. */
export function isRepeated({ rawHeaders }: Pick<Head, 'rawHeaders'>, name: string): boolean {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const field = rawHeaders[i] as string;
    if (field.length === name.length && field.toLowerCase() === name) count++;
  }
  return count > 1;
}

interface Authorized {
  readonly credential: Credential;
  readonly operation: { readonly scopes: readonly string[] };
}

/** Throws a Problem (40300). Its challenge names every scope that the operation needs (RFC 6750, section 3.1). */
export function authorize({ credential: { scopes, hint }, operation }: Authorized): void {
  const missing = operation.scopes.filter((scope) => !scopes.has(scope));
  if (missing.length === 0) return;
  const message = `The token lacks the scope${missing.length === 1 ? '' : 's'} ${missing.join(' and ')}.`;
  const challenge = {
    'WWW-Authenticate': `${REALM}, error="insufficient_scope", scope="${operation.scopes.join(' ')}"`,
  };
  throw new Problem(40300, message, challenge, hint === undefined ? {} : { why: `${message} ${hint}` });
}
