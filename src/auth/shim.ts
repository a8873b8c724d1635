import type { IncomingMessage } from 'node:http';
import { Problem } from '../errors.ts';
import { isRepeated } from '../http/request.ts';
import { type Authenticator, type Credential, notValid, bearerToken as old, scopeMissing } from './credential.ts';
export type Authenticate = (token: string) => Credential | Promise<Credential>;
export function bearerToken(request: IncomingMessage): string {
  if (isRepeated(request, 'authorization')) throw notValid();
  const t = old(request.headers.authorization);
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
