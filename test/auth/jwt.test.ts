import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JWK } from 'jose';
import { KEY_TIMES } from '../../src/auth/issuer-keys.ts';
import { generateToken } from '../../src/auth/token.ts';
import { type ClientResponse, createClient } from '../harness/client.ts';
import { createDatabase } from '../harness/database.ts';
import { serveProcess } from '../harness/process.ts';
import { startTestService, type TestService } from '../harness/service.ts';
import { AUDIENCE, type Issuer, startIssuer } from './issuer.ts';
import { jwtCases, withHeader } from './jwt-cases.ts';

/** The times of a service, without the waits: an unknown key is fetched immediately. */
const AT_ONCE = { reload: 600_000, cooldown: 0, pause: 0, timeout: 2_000 };

function start(issuer: Issuer, more: { times?: typeof AT_ONCE } = {}, now = Date.now) {
  const jwt = { jwtIssuer: issuer.url, jwtAudience: AUDIENCE, keyTimes: more.times ?? AT_ONCE };
  return startTestService({ ...jwt, now });
}

const list = ({ client }: TestService, token: string): Promise<ClientResponse> =>
  client.send('GET', '/plants', { token });

/** Resolves to 200 or the number of the error. */
async function resultOf(service: TestService, token: string): Promise<number> {
  const response = await list(service, token);
  return response.status === 200 ? 200 : (response.json() as { error: number }).error;
}

/** Signs a token and waits until its key was fetched. */
async function untilServed(service: TestService, token: string): Promise<void> {
  while ((await resultOf(service, token)) !== 200) await sleep(5);
}

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const seconds = () => Math.floor(Date.now() / 1_000);

test('a JWT of the issuer is accepted, and refused for every wrong claim, header or signature', async (t) => {
  await using issuer = await startIssuer();
  await using stranger = await startIssuer();
  await using service = await start(issuer);
  // Signed immediately before it is sent: the tolerance is 5 s.
  await t.test('an exp in the past within the tolerance: 200', async () => {
    const exp = seconds() - 1;
    assert.equal(await resultOf(service, await issuer.sign({ exp })), 200);
  });
  for (const [what, token, wanted] of await jwtCases(issuer, stranger)) {
    await t.test(`${what}: ${wanted}`, async () => assert.equal(await resultOf(service, token), wanted));
  }
  await t.test('no key is fetched from where a token says', () => assert.equal(stranger.fetches(), 0));
  await t.test('no refused token causes an error', () => assert.doesNotMatch(service.log(), /a request failed/));
});

test('an unusable key of the issuer verifies no token and is logged once', async (t) => {
  const short = generateKeyPairSync('rsa', { modulusLength: 1_024 }).publicKey.export({ format: 'jwk' });
  const point = { x: Buffer.alloc(32, 1).toString('base64url'), y: Buffer.alloc(32, 2).toString('base64url') };
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const keys: Record<string, [alg: string, key: JWK]> = {
    'a private key': ['ES256', pair.privateKey.export({ format: 'jwk' })],
    'an RSA key of 1,024 bits': ['RS256', short],
    'an RSA key without n': ['RS256', { kty: 'RSA', e: 'AQAB' }],
    'an RSA key whose n is not base64url': ['PS256', { kty: 'RSA', e: 'AQAB', n: '!' }],
    'a point that is not on the curve': ['ES256', { kty: 'EC', crv: 'P-256', ...point }],
    'an OKP key that is too short': ['EdDSA', { kty: 'OKP', crv: 'Ed25519', x: 'AAAA' }],
  };
  await using issuer = await startIssuer();
  issuer.publish(...Object.entries(keys).map(([kid, [, key]]) => ({ ...key, kid })));
  await using service = await start(issuer);
  const [, payload] = (await issuer.sign()).split('.');
  for (const [kid, [alg]] of Object.entries(keys)) {
    await t.test(kid, async () => {
      const token = `${part({ alg, kid, typ: 'at+jwt' })}.${payload}.AAAA`;
      for (let i = 0; i < 3; i++) assert.equal(await resultOf(service, token), 40101);
      assert.equal(service.log().split(`"kid":"${kid}"`).length - 1, 1, 'lines of the log that tell of it');
    });
  }
  assert.equal(await resultOf(service, await issuer.sign()), 200);
});

test('a new key is found immediately, and the withdrawn key is refused', async () => {
  await using issuer = await startIssuer();
  await using service = await start(issuer);
  assert.equal(await resultOf(service, await issuer.sign()), 200);
  const old = await issuer.sign({ jti: 'not seen before the rotation' });
  await issuer.rotate();
  assert.equal(await resultOf(service, await issuer.sign()), 200);
  assert.equal(await resultOf(service, old), 40101);
});

test('a withdrawn key is refused after the next fetch, even if no client has used the new key', async () => {
  await using issuer = await startIssuer();
  await using service = await start(issuer, { times: { ...AT_ONCE, reload: 50 } });
  assert.equal(await resultOf(service, await issuer.sign()), 200);
  const old = await issuer.sign({ jti: 'not seen before' });
  await issuer.rotate();
  // The second of two fetches began after the rotation.
  for (const until = issuer.fetches() + 2; issuer.fetches() < until; ) await sleep(5);
  assert.equal(await resultOf(service, old), 40101);
});

test('invented key ids cause five fetches, and then fetches at a limited rate', async () => {
  await using issuer = await startIssuer();
  await using service = await start(issuer, { times: { ...AT_ONCE, cooldown: 600_000 } });
  assert.equal(await resultOf(service, await issuer.sign()), 200);
  const before = issuer.fetches();
  for (let i = 0; i < 20; i++)
    assert.equal(await resultOf(service, await issuer.sign({}, { kid: `made-up-${i}` })), 40101);
  assert.equal(issuer.fetches(), before + 5);
});

test('a token of a new key is accepted immediately, even if the clock was set back', async (t) => {
  await using issuer = await startIssuer();
  await using service = await start(issuer, { times: KEY_TIMES });
  assert.equal(await resultOf(service, await issuer.sign()), 200);
  const before = issuer.fetches();
  await issuer.rotate();
  assert.equal(await resultOf(service, await issuer.sign()), 200);
  const hourAgo = Date.now() - 3_600_000;
  await issuer.rotate();
  const token = await issuer.sign();
  t.mock.method(Date, 'now', () => hourAgo);
  assert.equal(await resultOf(service, token), 200);
  assert.equal(issuer.fetches(), before + 2);
});

test('a token waits for an issuer that does not respond no longer than a fetch may take', async () => {
  await using issuer = await startIssuer();
  void issuer.hold();
  await using service = await start(issuer, { times: { ...AT_ONCE, timeout: 100 } });
  assert.equal(await resultOf(service, await issuer.sign()), 50300);
  assert.match(service.log(), /aborted due to timeout/);
});

test('while the issuer is down, cached keys still work, and an unknown key returns 503 / 50300', async () => {
  await using issuer = await startIssuer();
  // The service looks for newer keys all the time.
  await using service = await start(issuer, { times: { ...AT_ONCE, reload: 5 } });
  assert.equal(await resultOf(service, await issuer.sign()), 200);
  issuer.setDown(true);
  for (let i = 0; i < 3; i++) assert.equal(await resultOf(service, await issuer.sign({ jti: `new-${i}` })), 200);
  const foreign = await issuer.sign({}, { kid: 'rotated-meanwhile' });
  const response = await list(service, foreign);
  assert.equal(response.status, 503);
  assert.equal((response.json() as { error: number }).error, 50300);
  assert.equal(response.headers['retry-after'], '1', 'the least, since the next fetch comes without a pause');
  assert.equal(response.headers['www-authenticate'], undefined);
  await issuer.rotate();
  const next = await issuer.sign();
  assert.equal(await resultOf(service, next), 50300);
  issuer.setDown(false);
  await untilServed(service, next);
  assert.equal(service.log().match(/"the keys of the JWT issuer could not be fetched"/g)?.length, 1, 'logged once');
});

test('a service that stops does not wait for the issuer', { timeout: 10_000 }, async () => {
  await using issuer = await startIssuer();
  const asked = issuer.hold();
  let service: TestService;
  {
    await using running = await start(issuer, { times: { ...AT_ONCE, timeout: 60_000 } });
    service = running;
    await asked;
  }
  while (issuer.waiting() > 0) await sleep(5);
  assert.doesNotMatch(service.log(), /could not be fetched/);
});

test('an endless error response of the issuer keeps no connection open', { timeout: 10_000 }, async () => {
  await using issuer = await startIssuer();
  issuer.fail();
  await using service = await start(issuer, { times: { ...AT_ONCE, timeout: 60_000 } });
  assert.equal(await resultOf(service, await issuer.sign()), 50300);
  while (issuer.waiting() > 0) await sleep(5);
});

test('a service that starts while the issuer is down accepts opaque tokens, and later JWTs', async () => {
  await using issuer = await startIssuer();
  issuer.setDown(true);
  await using service = await start(issuer);
  const token = await issuer.sign();
  assert.equal(await resultOf(service, token), 50300);
  assert.equal(await resultOf(service, service.client.token), 200);
  assert.match(service.log(), /the keys of the JWT issuer could not be fetched/);
  issuer.setDown(false);
  await untilServed(service, token);
});

test('an issuer whose name ends in a slash is found, and its tokens contain the slash', async () => {
  await using issuer = await startIssuer();
  const name = `${issuer.url}/`;
  issuer.claimToBe(name);
  await using service = await start({ ...issuer, url: name });
  assert.equal(await resultOf(service, await issuer.sign({ iss: name })), 200);
  assert.equal(await resultOf(service, await issuer.sign()), 40101);
});

test('keys are found at another address after the issuer moves them', async () => {
  await using issuer = await startIssuer();
  await using elsewhere = await startIssuer();
  await using service = await start(issuer);
  assert.equal(await resultOf(service, await issuer.sign()), 200);
  await elsewhere.rotate();
  issuer.keepKeysAt(`${elsewhere.url}/keys`);
  assert.equal(await resultOf(service, await elsewhere.sign({ iss: issuer.url })), 200);
});

test('a JWT that was accepted is refused after its expiry', async () => {
  await using issuer = await startIssuer();
  let time = seconds() * 1_000;
  await using service = await start(issuer, {}, () => time);
  const token = await issuer.sign({ exp: time / 1_000 + 20 });
  assert.equal(await resultOf(service, token), 200);
  // Clocks may differ by 5 s.
  time += 24_999;
  assert.equal(await resultOf(service, token), 200);
  time += 1;
  assert.equal(await resultOf(service, token), 40102);
});

for (const [title, laterBy, wanted] of [
  ['is not verified again within a minute', 59_000, 200],
  ['is verified again after a minute, since its key may be withdrawn', 61_000, 40101],
  ['is verified again if the clock was set back', -3_600_000, 40101],
] as const) {
  test(`a JWT that was accepted ${title}`, async () => {
    await using issuer = await startIssuer();
    let time = Date.now();
    await using service = await start(issuer, {}, () => time);
    const token = await issuer.sign({ exp: Math.floor(time / 1_000) + 3_600 });
    assert.equal(await resultOf(service, token), 200);
    await issuer.rotate();
    assert.equal(await resultOf(service, await issuer.sign()), 200);
    time += laterBy;
    assert.equal(await resultOf(service, token), wanted);
  });
}

for (const [title, prepare, why] of [
  [
    'a discovery document of another issuer',
    (issuer) => issuer.claimToBe('https://other.example'),
    /document belongs to another issuer: its issuer is ."https:..other.example.", and --jwt-issuer is ."http/,
  ],
  [
    // This address is also this machine, but the name does not show that.
    'a keys address by plain http',
    (issuer) => issuer.keepKeysAt(`${issuer.url.replace('127.0.0.1', '0.0.0.0')}/keys`),
    /the discovery document has no https jwks_uri/,
  ],
  ['a discovery document that redirects', (issuer) => issuer.move(), /unexpected redirect/],
  [
    'a document of more than 1 MiB',
    (issuer) => issuer.publish({ kty: 'RSA', n: 'A'.repeat(2 ** 20) }),
    /\/keys is longer than 1048576 bytes/,
  ],
] as const satisfies readonly (readonly [string, (issuer: Issuer) => void, RegExp])[]) {
  test(`${title} provides no keys, and the log contains the reason`, async () => {
    await using issuer = await startIssuer();
    prepare(issuer);
    await using service = await start(issuer);
    assert.equal(await resultOf(service, await issuer.sign()), 50300);
    assert.match(service.log(), why);
  });
}

test('the log of a missing scope names the claims that look like scopes but are not used', async () => {
  await using issuer = await startIssuer();
  await using service = await start(issuer);
  const claims = { scope: undefined, permissions: ['plants:read'], scopes: 'plants:read' };
  assert.equal(await resultOf(service, await issuer.sign(claims)), 40300);
  assert.match(service.log(), /scopes come from its claims scope and scp only, and it also has scopes, permissions\./);
});

test('keys are fetched from --jwks-url without discovery, and no redirect is followed', async () => {
  await using issuer = await startIssuer();
  await using database = await createDatabase();
  issuer.claimToBe('https://other.example');
  const jwt = ['--jwt-issuer', issuer.url, '--jwt-audience', AUDIENCE, '--jwks-url', `${issuer.url}/keys`];
  const statusOf = async (typ: string | undefined) => {
    const service = await serveProcess(['--database', database.url, ...jwt, '--jwt-typ', 'any']);
    const client = createClient(service.url, await issuer.sign({}, { typ }));
    const { status } = await client.send('GET', '/plants');
    client.close();
    assert.equal(await service.stop('SIGTERM'), 0);
    return status;
  };
  for (const typ of ['JWT', undefined]) assert.equal(await statusOf(typ), 200);
  const fetches = issuer.fetches();
  issuer.move();
  assert.equal(await statusOf('JWT'), 503);
  assert.equal(issuer.fetches(), fetches);
});

test('after a failed fetch the issuer gets no request during a pause, even if the clock changes', async (t) => {
  await using issuer = await startIssuer();
  issuer.setDown(true);
  await using patient = await start(issuer, { times: { ...AT_ONCE, pause: 600_000 } });
  await using service = await start(issuer);
  const token = await issuer.sign();
  for (const one of [patient, service]) assert.equal(await resultOf(one, token), 50300);
  const hourAgo = Date.now() - 3_600_000;
  t.mock.method(Date, 'now', () => hourAgo);
  issuer.setDown(false);
  await untilServed(service, token);
  assert.equal(await resultOf(patient, token), 50300);
  assert.equal((await list(patient, token)).headers['retry-after'], '600', 'the seconds until the next fetch');
});

test('tokens with any of the documented algorithms are accepted', async (t) => {
  for (const algorithm of 'RS256 RS384 RS512 PS256 PS384 PS512 ES384 ES512 EdDSA Ed25519'.split(' ')) {
    await t.test(algorithm, async () => {
      await using issuer = await startIssuer(algorithm);
      await using service = await start(issuer);
      assert.equal(await resultOf(service, await issuer.sign()), 200);
    });
  }
});

test('without --jwt-issuer every JWT is unknown', async () => {
  await using issuer = await startIssuer();
  await using service = await startTestService();
  assert.equal(await resultOf(service, await issuer.sign()), 40101);
  assert.equal(issuer.fetches(), 0);
});

test('only the log contains the reason for a refused token, at most ten times a minute', async () => {
  await using issuer = await startIssuer();
  await using stranger = await startIssuer();
  await using service = await start(issuer);
  await list(service, await issuer.sign());
  const reasons: readonly (readonly [why: string, token: string])[] = [
    ['JWT: its claim exp is missing', await issuer.sign({ exp: undefined })],
    ['JWT: it is not valid yet (nbf)', await issuer.sign({ nbf: seconds() + 60 })],
    ['JWT: the issuer has no key for its kid and alg', await issuer.sign({}, { kid: 'nobody' })],
    ['JWT: its signature does not match the key of the issuer', await stranger.sign({ iss: issuer.url })],
    ['JWT: its algorithm (alg) is not accepted', withHeader(await issuer.sign(), { alg: 'HS256' })],
    [
      'JWT: its header needs something that is not supported (alg or crit)',
      withHeader(await issuer.sign(), { crit: ['exp'] }),
    ],
    ['JWT: its claim store is not the name of a store', await issuer.sign({ store: '../x' })],
    ['JWT: it is malformed', 'AAAA.AAAA.AAAA'],
    ['its length or its checksum is wrong', `pst_${'0'.repeat(36)}`],
    ['it is unknown', generateToken()],
  ];
  const responses = new Set<string>();
  for (const [, token] of reasons) responses.add((await list(service, token)).text);
  assert.equal(responses.size, 2, 'one for every JWT, one for every other token');
  for (let i = 0; i < 20; i++) await list(service, 'another');
  const logged = service.log().split('\n').filter(Boolean);
  const lines = logged.map((line) => JSON.parse(line)).filter(({ error }) => error === 40101);
  assert.deepEqual(
    lines.map(({ why }) => why),
    reasons.map(([why]) => why),
  );
  for (const [, token] of reasons) assert.ok(!service.log().includes(token), 'a token in the log');
});

test('the log of a token that several keys match does not claim that it has no kid', async () => {
  await using issuer = await startIssuer();
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
  issuer.publish({ ...other, kid: 'key-1' });
  await using service = await start(issuer);
  assert.equal(await resultOf(service, await issuer.sign()), 40101);
  assert.match(service.log(), /JWT: several keys of the issuer match it, since it has no kid or they share one"/);
});

test('the log contains both values if issuer, audience or type differ from the configuration', async () => {
  await using issuer = await startIssuer();
  await using service = await start(issuer);
  const whyOf = async (...claims: Parameters<Issuer['sign']>): Promise<string> => {
    await list(service, await issuer.sign(...claims));
    return JSON.parse(service.log().trimEnd().split('\n').at(-1) ?? '').why;
  };
  const iss = `and --jwt-issuer is "${issuer.url}"`;
  const aud = `and --jwt-audience is "${AUDIENCE}"`;
  assert.equal(await whyOf({ iss: `${issuer.url}/` }), `JWT: its issuer (iss) is "${issuer.url}/", ${iss}`);
  assert.equal(await whyOf({ aud: ['a', 'b'] }), `JWT: its audience (aud) is ["a","b"], ${aud}`);
  assert.equal(await whyOf({ aud: undefined }), `JWT: its audience (aud) is missing, ${aud}`);
  assert.equal(await whyOf({}, { typ: 'JWT' }), 'JWT: its type (typ) is "JWT", and --jwt-typ is "at+jwt"');
  assert.equal(await whyOf({ exp: seconds() - 60 }), 'JWT: its exp is past');
  // A terminal would take some characters for commands.
  const long = await whyOf({ iss: '\u009b'.repeat(1_000) });
  assert.equal(long, `JWT: its issuer (iss) is "${'\ufffd'.repeat(199)}, ${iss}`);
});
