import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { run } from '../../src/cli/run.ts';
import { keysUrl } from '../../src/cli/values.ts';

/** What `plantstore serve` says of options that are wrong; it never gets as far as opening anything. */
async function refused(args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const stopped = () => Promise.resolve();
  const exit = () => assert.fail('nothing was opened that could fail');
  const code = await run(['serve', ...args], { env, stdin, stdout, stderr, stopped, exit });
  stderr.end();
  assert.equal(code, 2);
  return text(stderr);
}

const ISSUER = ['--jwt-issuer', 'https://issuer.example'];
const AUDIENCE = ['--jwt-audience', 'plants'];

test('wrong options of JWTs and of the rate limit are exit 2 and one line', async (t) => {
  for (const [args, says] of [
    [ISSUER, /--jwt-issuer and --jwt-audience go together/],
    [AUDIENCE, /--jwt-issuer and --jwt-audience go together/],
    [['--jwks-url', 'https://issuer.example/keys'], /go together/],
    [['--jwt-issuer', 'http://issuer.example', ...AUDIENCE], /--jwt-issuer: it must be an https URL/],
    [['--jwt-issuer', 'https://issuer.example/?a=b', ...AUDIENCE], /--jwt-issuer: it must be an https URL/],
    [['--jwt-issuer', 'https://user@issuer.example', ...AUDIENCE], /--jwt-issuer: it must be an https URL/],
    [['--jwt-issuer', 'https://:secret@issuer.example', ...AUDIENCE], /--jwt-issuer: it must be an https URL/],
    [['--jwt-issuer', 'https://issuer.example/#a', ...AUDIENCE], /--jwt-issuer: it must be an https URL/],
    [[...ISSUER, ...AUDIENCE, '--jwks-url', 'http://127.0.0.1.evil.example/'], /--jwks-url: it must be an https URL/],
    [[...ISSUER, ...AUDIENCE, '--jwt-typ', 'a b'], /--jwt-typ: it must be a type/],
    [['--rate-limit', '0/s'], /--rate-limit: it must be a number of requests in a time/],
    [['--rate-limit', '100'], /--rate-limit: it must be/],
    [['--rate-limit', '100/w'], /--rate-limit: it must be/],
    [['--rate-limit', '100/2d'], /--rate-limit: it must be/],
    [['--rate-limit', '1.5/s'], /--rate-limit: it must be/],
  ] as const) {
    await t.test(args.join(' '), async () => {
      const said = await refused(args);
      assert.match(said, says);
      assert.match(said, /^plantstore: [^\n]+\n$/);
      assert.ok(!said.includes('secret'));
    });
  }
});

test('keys may come by plain http from this machine, whatever it is called', () => {
  for (const url of ['http://localhost:1/keys', 'http://127.1.2.3/keys', 'http://[::1]:1/keys']) {
    assert.equal(keysUrl(url), url);
  }
});

test('a configured token that no request could ever use is refused at the start, and not repeated', async (t) => {
  for (const [token, says] of [
    ['too-short', /PLANTSTORE_TOKEN: it must be 16 to 512 characters/],
    ['pst_0000000000000000000000000000000000000', /PLANTSTORE_TOKEN: its checksum is wrong/],
    ['eyJhbGciOiJub25lIn0.eyJhIjoxfQ.signature', /PLANTSTORE_TOKEN: it must not look like a JWT/],
  ] as const) {
    await t.test(token, async () => {
      const said = await refused([], { PLANTSTORE_TOKEN: token });
      assert.match(said, says);
      assert.ok(!said.includes(token));
    });
  }
});
