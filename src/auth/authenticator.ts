/** Owns telling the kinds of bearer tokens apart: what is shaped as a JWT is one, anything else is opaque. */
import type { Authenticator } from './credential.ts';
import { looksLikeJwt } from './token.ts';

/** No token is ever tried as both. */
export function eitherOf(opaque: Authenticator, jwt: Authenticator): Authenticator {
  return {
    authenticate: (token) =>
      !token.startsWith('pst_') && looksLikeJwt(token) ? jwt.authenticate(token) : opaque.authenticate(token),
  };
}
