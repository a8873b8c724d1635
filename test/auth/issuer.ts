/**
 * Runs a real OpenID issuer on this machine, with discovery, key rotation, any kind of token, and failures on demand.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type CryptoKey,
  exportJWK,
  exportSPKI,
  generateKeyPair,
  type JWK,
  type JWTHeaderParameters,
  SignJWT,
} from 'jose';

export interface Issuer extends AsyncDisposable {
  readonly url: string;
  /** The number of requests for the keys. */
  readonly fetches: () => number;
  /** The issuer in the discovery document. Default: the issuer's own address. */
  claimToBe(issuer: string): void;
  /** The address of the keys in the discovery document. Default: the issuer's own address. */
  keepKeysAt(url: string): void;
  setDown(down: boolean): void;
  /** Sends no response from now on. Resolves at the next request. */
  hold(): Promise<void>;
  /** From now on, responds with an error with an endless text. */
  fail(): void;
  /** The number of requests whose response has not ended. */
  readonly waiting: () => number;
  /** Redirects every address to one that responds. */
  move(): void;
  /** Replaces the key by another one. */
  rotate(): Promise<void>;
  /** Adds keys to the set without checking them. */
  publish(...keys: readonly JWK[]): void;
  /** The public key as text, for attacks. */
  publicPem(): Promise<string>;
  /** Signs a token with the current key. `claims` and `header` override the right values. Undefined removes a value. */
  sign(claims?: Record<string, unknown>, header?: Record<string, unknown>): Promise<string>;
}

export const AUDIENCE = 'https://plants.example';

interface Key {
  readonly kid: string;
  readonly algorithm: string;
  readonly publicKey: CryptoKey;
  readonly privateKey: CryptoKey;
}

export async function startIssuer(algorithm = 'ES256'): Promise<Issuer> {
  let count = 0;
  const makeKey = async (): Promise<Key> => {
    count += 1;
    const pair = await generateKeyPair(algorithm, { extractable: true });
    return { kid: `key-${count}`, algorithm, ...pair };
  };
  let key = await makeKey();
  let down = false;
  let holds: PromiseWithResolvers<void> | undefined;
  let failing = false;
  let waiting = 0;
  let moved = false;
  let fetches = 0;
  let name: string | undefined;
  let further: readonly JWK[] = [];
  let keysAt: string | undefined;
  const server = createServer((request, response) => {
    void (async () => {
      if (down) return response.destroy();
      if (holds !== undefined || failing) {
        waiting += 1;
        holds?.resolve();
        if (failing) response.writeHead(500).write('It failed, ');
        return response.on('close', () => {
          waiting -= 1;
        });
      }
      const path = request.url?.replace(/^\/moved/, '');
      if (moved && path === request.url) return response.writeHead(302, { Location: `${url}/moved${path}` }).end();
      response.setHeader('Content-Type', 'application/json');
      if (path === '/.well-known/openid-configuration') {
        const jwks_uri = keysAt ?? `${url}${moved ? '/moved' : ''}/keys`;
        return response.end(JSON.stringify({ issuer: name ?? url, jwks_uri }));
      }
      fetches += 1;
      const jwk = { ...(await exportJWK(key.publicKey)), kid: key.kid, alg: key.algorithm, use: 'sig' };
      return response.end(JSON.stringify({ keys: [jwk, ...further] }));
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    fetches: () => fetches,
    claimToBe(issuer) {
      name = issuer;
    },
    keepKeysAt(address) {
      keysAt = address;
    },
    setDown(value) {
      down = value;
    },
    hold() {
      holds = Promise.withResolvers();
      return holds.promise;
    },
    fail() {
      failing = true;
    },
    waiting: () => waiting,
    move() {
      moved = true;
    },
    async rotate() {
      key = await makeKey();
    },
    publish(...keys) {
      further = keys;
    },
    publicPem: () => exportSPKI(key.publicKey),
    async sign(claims = {}, header = {}) {
      const now = Math.floor(Date.now() / 1_000);
      const all = { iss: url, aud: AUDIENCE, sub: 'a-client', iat: now, exp: now + 300, scope: BOTH, ...claims };
      const payload = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
      const fields = { alg: key.algorithm, kid: key.kid, typ: 'at+jwt', ...header };
      return new SignJWT(payload)
        .setProtectedHeader(
          Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as JWTHeaderParameters,
        )
        .sign(key.privateKey);
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const BOTH = 'plants:read plants:write';
