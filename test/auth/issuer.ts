/** A real OpenID issuer on this machine: discovery, keys that rotate, tokens of every kind, and an off switch. */
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
  /** How often the keys were asked for. */
  readonly fetches: () => number;
  /** What the discovery document says of the issuer; its own address at first. */
  claimToBe(issuer: string): void;
  /** Where the discovery document says that the keys are; its own address at first. */
  keepKeysAt(url: string): void;
  setDown(down: boolean): void;
  /** Sends no response from now on; resolves at the next request. */
  hold(): Promise<void>;
  /** Responds with an error from now on, whose text does not end. */
  fail(): void;
  /** How many requests still wait for a response, or for its end. */
  readonly waiting: () => number;
  /** Every address redirects to one that responds. */
  move(): void;
  /** Another key from now on; the one before is withdrawn. */
  rotate(): Promise<void>;
  /** Further keys beside the present one, as they are. */
  publish(...keys: readonly JWK[]): void;
  /** The public key as a text, for attacks. */
  publicPem(): Promise<string>;
  /** A token signed by the present key; claims and header over the right ones, undefined taken out. */
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
