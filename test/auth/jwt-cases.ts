/** JWTs of an issuer and of strangers, and whether the service accepts them. */
import { createHmac } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { AUDIENCE, type Issuer } from './issuer.ts';

/** `wanted`: 200, or the number of the error of GET /plants. */
export type JwtCase = readonly [what: string, token: string, wanted: number];

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const seconds = () => Math.floor(Date.now() / 1_000);

/** Signs one token for each rule of docs/credentials.md, and for each published attack. */
export async function jwtCases(issuer: Issuer, stranger: Issuer): Promise<readonly JwtCase[]> {
  const right = await issuer.sign();
  const [header, payload, signature] = right.split('.') as [string, string, string];
  const altered = (signature.startsWith('A') ? 'B' : 'A') + signature.slice(1);
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const pem = await issuer.publicPem();
  const hmacHeader = part({ alg: 'HS256', kid: 'key-1', typ: 'at+jwt' });
  const hmac = createHmac('sha256', pem).update(`${hmacHeader}.${payload}`).digest('base64url');
  const hmacBySubtle = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256', kid: 'key-1', typ: 'at+jwt' })
    .sign(Buffer.from(pem));
  const none = part({ alg: 'none', kid: 'key-1', typ: 'at+jwt' });
  const zeros = Buffer.alloc(Buffer.from(signature, 'base64url').length).toString('base64url');
  const hmacOf = (key: string, fields: object) => {
    const signed = `${part({ alg: 'HS256', typ: 'at+jwt', ...fields })}.${payload}`;
    return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`;
  };
  const foreign = (fields: Record<string, unknown>) => stranger.sign({ iss: issuer.url }, fields);
  return [
    ['the right one', right, 200],
    ['the right token again', right, 200],
    ['a wrong iss', await issuer.sign({ iss: `${issuer.url}/` }), 40101],
    ['no iss', await issuer.sign({ iss: undefined }), 40101],
    ['the iss of a stranger, by the right key', await issuer.sign({ iss: stranger.url }), 40101],
    ['a wrong aud', await issuer.sign({ aud: 'https://other.example' }), 40101],
    ['an aud that only begins right', await issuer.sign({ aud: `${AUDIENCE}.evil.example` }), 40101],
    ['no aud', await issuer.sign({ aud: undefined }), 40101],
    ['the right aud among others', await issuer.sign({ aud: ['x', AUDIENCE] }), 200],
    ['an exp in the past', await issuer.sign({ exp: seconds() - 60 }), 40102],
    ['no exp', await issuer.sign({ exp: undefined }), 40101],
    ['an exp that is a text', await issuer.sign({ exp: String(seconds() + 300) }), 40101],
    ['a nbf in the future', await issuer.sign({ nbf: seconds() + 60 }), 40101],
    ['another typ', await issuer.sign({}, { typ: 'JWT' }), 40101],
    ['no typ', await issuer.sign({}, { typ: undefined }), 40101],
    ['the typ as a whole media type', await issuer.sign({}, { typ: 'application/at+jwt' }), 200],
    ['alg none', `${none}.${payload}.`, 40101],
    ['alg none with a signature', `${none}.${payload}.${signature}`, 40101],
    ['HS256 with the public key', `${hmacHeader}.${payload}.${hmac}`, 40101],
    ['HS256 with the public key, by jose', hmacBySubtle, 40101],
    ['an unknown kid', await issuer.sign({}, { kid: 'nobody' }), 40101],
    ['no kid, one key', await issuer.sign({}, { kid: undefined }), 200],
    ["a stranger's key under the right kid", await stranger.sign({ iss: issuer.url }), 40101],
    ['another algorithm in the header', withHeader(right, { alg: 'ES384' }), 40101],
    ['no signature', `${header}.${payload}.`, 40101],
    ['a payload altered', `${header}.${part({ ...claims, scope: 'plants:write' })}.${signature}`, 40101],
    ['a payload that is not JSON', `${header}.AAAA.${signature}`, 40101],
    ['a header that is not JSON', `AAAA.${payload}.${signature}`, 40101],
    ['an oversized token', await ofLength(issuer, 8_193), 40101],
    ['the largest token', await ofLength(issuer, 8_192), 200],
    ['an unknown crit', withHeader(right, { crit: ['exp'], exp: 1 }), 40101],
    ['a crit that jose supports', await issuer.sign({}, { crit: ['b64'], b64: true }), 40101],
    ['an encrypted token', `${right}.AAAA.AAAA`, 40101],
    ['an opaque prefix', `pst_${right}`, 40101],
    ['a jwk in the header', withHeader(right, { jwk: { kty: 'oct', k: 'AAAA' } }), 40101],
    ['the store of a claim', await issuer.sign({ store: 'other' }), 200],
    ['a store that is not a text', await issuer.sign({ store: 7 }), 40101],
    ['a store that is null', await issuer.sign({ store: null }), 40101],
    ['a store that is not a name', await issuer.sign({ store: '../default' }), 40101],
    ['an empty store', await issuer.sign({ store: '' }), 40101],
    ['a store of 64 characters', await issuer.sign({ store: 's'.repeat(64) }), 200],
    ['a store of 65 characters', await issuer.sign({ store: 's'.repeat(65) }), 40101],
    ['scp as an array', await issuer.sign({ scope: undefined, scp: ['plants:read'] }), 200],
    ['scp as a text', await issuer.sign({ scope: undefined, scp: 'openid plants:read' }), 200],
    ['scope as an array', await issuer.sign({ scope: ['openid', 'plants:read'] }), 200],
    ['scope as an array of lists', await issuer.sign({ scope: [7, 'openid plants:read'] }), 200],
    ['permissions', await issuer.sign({ scope: undefined, permissions: ['plants:read'] }), 40300],
    ['scopes', await issuer.sign({ scope: 'openid', scopes: ['plants:read'] }), 40300],
    ['another scope', await issuer.sign({ scope: 'plants:write' }), 40300],
    ['a scope that only begins right', await issuer.sign({ scope: 'plants:read2 plants:' }), 40300],
    ['no scope', await issuer.sign({ scope: undefined }), 40300],
    ['a scope that is not a text', await issuer.sign({ scope: { 'plants:read': true } }), 40300],
    ['the right token altered after it was cached', `${header}.${payload}.${altered}`, 40101],
    // OWASP, JSON Web Token Cheat Sheet and Testing JSON Web Tokens (WSTG-SESS-10)
    ['alg nOnE', `${part({ alg: 'nOnE', kid: 'key-1', typ: 'at+jwt' })}.${payload}.`, 40101],
    ['alg none with the signature of zeros', `${none}.${payload}.${zeros}`, 40101],
    ['a signature of zeros', `${header}.${payload}.${zeros}`, 40101],
    ['a truncated signature', `${header}.${payload}.${signature.slice(0, -4)}`, 40101],
    ['a longer signature', `${right}AAAA`, 40101],
    ['a signature with padding', `${right}==`, 40101],
    ['a payload with padding', `${header}.${payload}=.${signature}`, 40101],
    ['HS256 with an empty key, whose kid is a path', hmacOf('', { kid: '../../../../dev/null' }), 40101],
    ['HS256 with the key of a kid in SQL', hmacOf('key', { kid: "' UNION SELECT 'key" }), 40101],
    ['HS256 with a guessed key', hmacOf('secret', { kid: 'key-1' }), 40101],
    ['HS256 without a kid', hmacOf(pem, {}), 40101],
    ['a jwk in the header, whose key signed the token', await withOwnKey(claims), 40101],
    ['a jku of a stranger, whose key signed the token', await foreign({ jku: `${stranger.url}/keys` }), 40101],
    ['an x5u of a stranger, whose key signed the token', await foreign({ x5u: `${stranger.url}/keys` }), 40101],
    ['an x5c of a stranger', await foreign({ x5c: ['AAAA'] }), 40101],
    ['a JWT within a JWT', `${part({ alg: 'none', cty: 'JWT' })}.${Buffer.from(right).toString('base64url')}.`, 40101],
    ['a scope of a longer name', await issuer.sign({ scope: 'admin plants:*' }), 40300],
  ];
}

/** Changes members of the token's header, which makes its signature wrong. */
export function withHeader(token: string, more: object): string {
  const [header, ...rest] = token.split('.') as [string, ...string[]];
  return [part({ ...JSON.parse(Buffer.from(header, 'base64url').toString()), ...more }), ...rest].join('.');
}

async function ofLength(issuer: Issuer, length: number): Promise<string> {
  // base64url never has 4n + 1 characters. If the claims cannot have the length, a longer header changes it.
  for (const pad of ['', 'x']) {
    for (let more = 5_700; more < 6_000; more++) {
      const token = await issuer.sign({ more: 'x'.repeat(more) }, { pad });
      if (token.length === length) return token;
    }
  }
  throw new Error(`no token of ${length} characters`);
}

/** A token that brings the key which verifies it. */
async function withOwnKey(claims: Record<string, unknown>): Promise<string> {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const header = { alg: 'ES256', typ: 'at+jwt', jwk: await exportJWK(publicKey) };
  return new SignJWT(claims).setProtectedHeader(header).sign(privateKey);
}
