/** Secrets and signatures. The official library, with the clock of this process, judges everything too. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import * as signature from '../../../src/features/events/webhooks/signature.ts';

const { secretOf } = signature;
const signersOf = (secrets: readonly string[]) => secrets.map((secret) => new Webhook(secret));
const sign = (secrets: readonly string[], id: string, seconds: number, body: string) =>
  signature.sign(signersOf(secrets), id, seconds, body);
const whyRefused = (
  secrets: readonly string[],
  headers: Readonly<Record<string, string>>,
  body: string,
  now: number,
  signedBody?: string,
) => signature.whyRefused(signersOf(secrets), headers, body, now, signedBody);

const KEY = Buffer.alloc(32, 7);
const SECRET = secretOf(KEY, 'a1', 1);
const OTHER = secretOf(KEY, 'a1', 2);
const BODY = '{"type":"plant.created","data":{"id":12,"name":"Aloë 🌵"}}';
const NOW = 1_764_194_400;

test('a secret depends on the key, the webhook and the generation, and on nothing else', () => {
  assert.match(SECRET, /^whsec_[A-Za-z\d+/]{43}=$/);
  assert.equal(secretOf(Buffer.alloc(32, 7), 'a1', 1), SECRET);
  const others = [secretOf(Buffer.alloc(32, 8), 'a1', 1), secretOf(KEY, 'a2', 1), OTHER, secretOf(KEY, 'a', 11)];
  assert.equal(new Set([SECRET, ...others]).size, 5);
});

test('a message has the id, the seconds and one signature for each secret, as the specification defines it', () => {
  const signed = sign([SECRET, OTHER], 'e1', NOW, BODY);
  const bySpecification = [SECRET, OTHER].map((secret) => {
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`e1.${NOW}.${BODY}`).digest('base64')}`;
  });
  assert.deepEqual(signed, {
    'webhook-id': 'e1',
    'webhook-timestamp': String(NOW),
    'webhook-signature': bySpecification.join(' '),
  });
});

test('the example of the specification of Standard Webhooks has its signature', () => {
  const { 'webhook-signature': signature } = sign(
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    'msg_p5jXN8AQM9LWM0D4loKWxJek',
    1_614_265_330,
    '{"test": 2432232314}',
  );
  assert.equal(signature, 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});

describe('a receiver', () => {
  const signed: Readonly<Record<string, string>> = { ...sign([SECRET], 'e1', NOW, BODY) };
  const without = (name: string) => Object.fromEntries(Object.entries(signed).filter(([key]) => key !== name));
  const signedAt = (seconds: number) => ({ ...sign([SECRET], 'e1', seconds, BODY) });

  test('accepts a message while one of its signatures is made with one of the valid secrets', () => {
    assert.equal(whyRefused([SECRET], signed, BODY, NOW), undefined);
    assert.equal(whyRefused([OTHER, SECRET], signed, BODY, NOW), undefined);
    const rotated = { ...sign([OTHER, SECRET], 'e1', NOW, BODY) };
    for (const secret of [SECRET, OTHER]) assert.equal(whyRefused([secret], rotated, BODY, NOW), undefined);
    const withLater = { ...signed, 'webhook-signature': `v1a,${'A'.repeat(86)}== ${signed['webhook-signature']}` };
    assert.equal(whyRefused([SECRET], withLater, BODY, NOW), undefined);
  });

  test('accepts a timestamp that differs by at most 300 s from its own clock', () => {
    for (const age of [0, 300, -300]) assert.equal(whyRefused([SECRET], signedAt(NOW - age), BODY, NOW), undefined);
    assert.equal(
      whyRefused([SECRET], signedAt(NOW - 301), BODY, NOW),
      'webhook-timestamp is 301 s old, more than 300 s',
    );
    assert.equal(
      whyRefused([SECRET], signedAt(NOW + 301), BODY, NOW),
      'webhook-timestamp is 301 s in the future, more than 300 s',
    );
  });

  const UNKNOWN = 'no signature matches: another secret was used, or the id, the timestamp or the body was changed';
  const CASES: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ['webhook-id is missing', without('webhook-id')],
    ['webhook-timestamp is missing', without('webhook-timestamp')],
    ['webhook-signature is missing', without('webhook-signature')],
    ['webhook-signature is missing', { ...signed, 'webhook-signature': '' }],
    ['webhook-timestamp is not a number of seconds', { ...signed, 'webhook-timestamp': 'yesterday' }],
    ['webhook-timestamp is not a number of seconds', { ...signed, 'webhook-timestamp': '2025-11-26T22:00:00Z' }],
    ['webhook-timestamp is not a number of seconds', { ...signed, 'webhook-timestamp': '-1' }],
    ['webhook-signature has no signature of the version v1', { ...signed, 'webhook-signature': 'v1' }],
    ['webhook-signature has no signature of the version v1', { ...signed, 'webhook-signature': 'v2,AAAA' }],
    ['no v1 signature is 32 bytes in base64', { ...signed, 'webhook-signature': 'v1,AAAA' }],
    ['no v1 signature is 32 bytes in base64', { ...signed, 'webhook-signature': `v1,${'0'.repeat(64)}` }],
    [UNKNOWN, { ...signed, 'webhook-signature': `v1,${'A'.repeat(43)}=` }],
    [UNKNOWN, { ...signed, 'webhook-id': 'e2' }],
    [UNKNOWN, { ...signed, 'webhook-timestamp': String(NOW + 1) }],
    [UNKNOWN, { ...sign([OTHER], 'e1', NOW, BODY) }],
  ];
  for (const [why, headers] of CASES) {
    test(`refuses ${JSON.stringify(headers).slice(0, 150)}: ${why}`, () => {
      assert.equal(whyRefused([SECRET], headers, BODY, NOW), why);
    });
  }

  test('refuses another body, and the reason is exact only if the signed body is known', () => {
    for (const body of [`${BODY} `, BODY.replace('12', '13'), '']) {
      assert.equal(whyRefused([SECRET], signed, body, NOW), UNKNOWN);
      assert.equal(whyRefused([SECRET], signed, body, NOW, BODY), 'the body was changed after it was signed');
      assert.equal(whyRefused([OTHER], signed, body, NOW, BODY), UNKNOWN);
    }
    assert.equal(whyRefused([OTHER], signed, BODY, NOW, BODY), UNKNOWN);
  });

  test('decides as the official library does', () => {
    const now = Math.floor(Date.now() / 1_000);
    const fresh = (seconds: number, secrets = [SECRET]) => ({ ...sign(secrets, 'e1', seconds, BODY) });
    const right = fresh(now);
    const messages: readonly Readonly<Record<string, string>>[] = [
      ...[0, 290, -290, 310, -310, 90_000].map((age) => fresh(now - age)),
      ...[[OTHER], [OTHER, SECRET], [SECRET, OTHER], []].map((secrets) => fresh(now, secrets)),
      ...CASES.map(([, headers]) => headers),
      ...['x', ' ', `0${now}`, `${now}.9`, `${now}x`, ` ${now}`].map((time) => ({
        ...right,
        'webhook-timestamp': time,
      })),
      ...['', 'v1', 'v1,', ',', `${right['webhook-signature']},x`, `x ${right['webhook-signature']}`].map(
        (signature) => ({ ...right, 'webhook-signature': signature }),
      ),
    ];
    const verdicts = messages.map((headers) => {
      const isRight = whyRefused([SECRET], headers, BODY, now) === undefined;
      const verify = () => new Webhook(SECRET).verify(BODY, headers, { jsonParse: false });
      if (isRight) assert.doesNotThrow(verify, JSON.stringify(headers));
      else assert.throws(verify, JSON.stringify(headers));
      return isRight;
    });
    assert.ok(verdicts.filter(Boolean).length > 5 && verdicts.filter((isRight) => !isRight).length > 15);
  });
});
