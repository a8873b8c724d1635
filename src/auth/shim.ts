import { Problem } from '../errors.ts';
import { type Authenticator, type Credential, bearerToken as old, scopeMissing } from './credential.ts';
export type Authenticate = (token: string) => Credential | Promise<Credential>;
export function bearerToken(authorization: string | undefined): string {
  const t = old(authorization);
  if (t instanceof Problem) throw t;
  return t;
}
export function throwing(a: Authenticator): Authenticate {
  const f = (x: Credential | Problem) => {
    if (x instanceof Problem) throw x;
    return x;
  };
  return (token) => {
    const r = a.authenticate(token);
    return r instanceof Promise ? r.then(f) : f(r);
  };
}
export function requireScopes(c: Credential, scopes: readonly string[]): void {
  if (!scopes.every((s) => c.scopes.has(s))) throw scopeMissing(scopes);
}
