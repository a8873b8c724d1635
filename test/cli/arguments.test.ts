/** What the command line says of itself, and of arguments and variables that are wrong. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { generateToken } from '../../src/auth/token.ts';
import { baseUrl, database, keysUrl } from '../../src/cli/values.ts';
import { refusedWith, runCommand, runHere } from '../harness/process.ts';

describe('the command line', { concurrency: 2 }, () => {
  test('--version tells the version', async () => {
    assert.deepEqual(await runCommand(['--version']), { code: 0, stdout: '1.0.0\n', stderr: '' });
  });

  test('--help names every command, and every option of serve with its default', async () => {
    const overview = await runCommand(['--help']);
    assert.deepEqual([overview.code, overview.stderr], [0, '']);
    assert.match(overview.stdout, /^ {2}serve\b/m);
    const help = await runCommand(['serve', '--help']);
    assert.equal(help.code, 0);
    assert.match(help.stdout, /--port NUMBER .*\(default 8080, or \$PORT\)/);
    assert.match(help.stdout, /--database URL .*\(default sqlite:data\/plants\.db, or \$DATABASE_URL\)/);
    assert.match(help.stdout, /PLANTSTORE_TOKEN=/);
    assert.doesNotMatch(help.stdout, /--token\b/);
  });

  type Wrong = [what: string, args: string[], env: NodeJS.ProcessEnv, line: RegExp];
  const ISSUER = ['--jwt-issuer', 'https://issuer.example'];
  const AUDIENCE = ['--jwt-audience', 'plants'];
  const wrong: readonly Wrong[] = [
    ['no command', [], {}, /a command is missing/],
    ['an unknown command', ['grow'], {}, /there is no command "grow"/],
    ['an unknown option', ['serve', '--colour', 'green'], {}, /unknown option --colour/],
    ['something that may be secret for a command', ['postgres://u:hunter2@h/d'], {}, /there is no such command/],
    ['a positional argument', ['serve', 'postgres://u:hunter2@h/d'], {}, /unexpected argument: the command takes none/],
    ['an option without a value', ['serve', '--port'], {}, /--port needs a value/],
    ['an option given twice', ['serve', '--port', '1', '--port', '2'], {}, /--port must be given once/],
    ['a port that is no number', ['serve', '--port', 'http'], {}, /--port: it must be an integer from 0 to 65535/],
    ['a port beyond the last', ['serve', '--port', '65536'], {}, /--port: /],
    ['a wrong variable', ['serve'], { PLANTSTORE_PORT: '-1' }, /PLANTSTORE_PORT: /],
    ['a wrong PORT', ['serve'], { PORT: 'x' }, /^plantstore: PORT: /],
    ['a database of an unknown kind', ['serve', '--database', 'mysql://u:hunter2@h/d'], {}, /--database: /],
    ['a base URL with a slash at its end', ['serve', '--base-url', 'https://h/p/'], {}, /--base-url: /],
    ['a base URL that is no ASCII', ['serve', '--base-url', 'https://h/日本'], {}, /--base-url: .*percent-encoded/],
    ['an invalid base URL', ['serve', '--base-url', 'garden'], {}, /--base-url: /],
    ['a time without a unit', ['serve', '--request-timeout', '10'], {}, /--request-timeout: .*10s/],
    ['a size of zero', ['serve', '--max-body', '0'], {}, /--max-body: /],
    ['an unknown level', ['serve', '--log-level', 'loud'], {}, /--log-level: .*debug/],
    ['a certificate without its key', ['serve', '--tls-cert', 'x.pem'], {}, /--tls-cert and --tls-key go together/],
    ['a token that is too short', ['serve'], { PLANTSTORE_TOKEN: 'hunter2' }, /: it must be 16 to 512 characters/],
    ['a password where a name should be', ['serve', '--database:postgres://u:hunter2@h'], {}, /: unknown option;/],
    ['a token as a flag', ['serve', '--token', generateToken()], {}, /unknown option --token/],
    ['a token that is mistyped', ['serve'], { PLANTSTORE_TOKEN: `pst_${'0'.repeat(37)}` }, /its checksum is wrong/],
    ['a token like a JWT', ['serve'], { PLANTSTORE_TOKEN: 'eyJhIjox.hunter2.x' }, /it must not look like a JWT/],
    ['an issuer without its audience', ['serve', ...ISSUER], {}, /--jwt-issuer and --jwt-audience go together/],
    ['an audience without its issuer', ['serve', ...AUDIENCE], {}, /--jwt-issuer and --jwt-audience go together/],
    ['keys without an issuer', ['serve', '--jwks-url', 'https://h/keys'], {}, /go together/],
    ...['http://h', 'https://h/?a=b', 'https://user@h', 'https://:hunter2@h', 'https://h/#a'].map(
      (url): Wrong => [
        `the issuer ${url}`,
        ['serve', '--jwt-issuer', url, ...AUDIENCE],
        {},
        /--jwt-issuer: it must be an https URL/,
      ],
    ),
    [
      'keys of another host by plain http',
      ['serve', ...ISSUER, ...AUDIENCE, '--jwks-url', 'http://127.0.0.1.evil.example/'],
      {},
      /--jwks-url: it must be an https URL/,
    ],
    ['a type of two words', ['serve', ...ISSUER, ...AUDIENCE, '--jwt-typ', 'a b'], {}, /--jwt-typ: it must be a type/],
    ...['0/s', '100', '100/w', '100/2d', '1.5/s'].map(
      (rate): Wrong => [
        `the rate ${rate}`,
        ['serve', '--rate-limit', rate],
        {},
        /--rate-limit: it must be a number of requests in a time/,
      ],
    ),
  ];
  for (const [what, args, env, line] of wrong) {
    test(`${what} ends with 2 and one line, which repeats no secret`, async () => {
      const finished = await runHere(args, env);
      refusedWith(finished, 2, line);
      assert.doesNotMatch(finished.stderr, /hunter2|pst_/);
    });
  }
});

test('keys may come by plain http from this machine, whatever it is called', () => {
  for (const url of ['http://localhost:1/keys', 'http://127.1.2.3/keys', 'http://[::1]:1/keys']) {
    assert.equal(keysUrl(url), url);
  }
});

test('a base URL is taken as it is if it is a valid URI, and refused otherwise', () => {
  for (const url of ["https://Plants.example:8443/%E6%97%A5/a;b=c!$&'()*+,:~_-.d", 'http://[::1]:1', 'HTTPS://h']) {
    assert.equal(baseUrl(url), url);
  }
  const paths = ['a b', 'a\r\nb', 'a|b', '100%', 'a/../b', './a', 'a\\b', 'a"b', '<a>'];
  const others = ['https://gärten.example', 'https://a b', 'https:h', 'https://', 'https://[1', 'ftp://h'];
  for (const url of [...paths.map((path) => `https://h/${path}`), ...others]) {
    assert.throws(() => baseUrl(url), /must be an http or https URL/, url);
  }
});

test('the URL of a database may leave the host out, and percent-encode what it must', () => {
  const right = [
    'postgres:///d',
    'postgresql://u@/d?host=%2Frun',
    'postgres://u:1%2F%3F%23%40@h/d?sslmode=verify-full',
  ];
  for (const url of right) assert.equal(database(url), url);
});
