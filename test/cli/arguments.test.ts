/** Help and version of the command line, and its errors about wrong arguments and variables. */
import assert from 'node:assert/strict';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { PROGRAM } from '../../lab/program.ts';
import { commandsOf, runCommandLine } from '../../src/cli/run-command.ts';
import { baseUrl, database, keysUrl } from '../../src/cli/values.ts';
import { version } from '../../src/util/version.generated.ts';
import { refusedWith, runCommand, runHere } from '../harness/process.ts';

/** Parts of a process that a command does not use if it only prints. */
const NOWHERE = {
  env: {},
  stdin: Readable.from([]),
  stderr: new PassThrough(),
  stopped: () => new Promise<void>(() => undefined),
  exit: () => assert.fail('the process was ended'),
};

test('--version prints the version', async () => {
  assert.deepEqual(await runCommand(['--version']), { code: 0, stdout: `${version}\n`, stderr: '' });
});

test('--help lists every command, and every option of serve with its default or variable', async () => {
  const overview = await runCommand(['--help']);
  assert.deepEqual([overview.code, overview.stderr], [0, '']);
  assert.match(overview.stdout, /^ {2}serve\b/m);
  const help = await runCommand(['serve', '--help']);
  assert.equal(help.code, 0);
  assert.match(help.stdout, /--port NUMBER [\s\S]*? Default:\s+\$PORT,\s+else\s+8080\./);
  assert.match(help.stdout, /--database URL [\s\S]*Default:\s+\$DATABASE_URL,\s+else\s+sqlite:data\/plants\.db\./);
  assert.match(help.stdout, /^ {2}PLANTSTORE_TOKEN=TOKEN {2}/m);
  assert.doesNotMatch(help.stdout, /--token\b/);
});

test('help is printed without arguments, for the word help, and for the command that follows that word', async () => {
  const overview = await runHere(['--help']);
  assert.deepEqual(await runHere([]), overview);
  assert.deepEqual(await runHere(['help']), overview);
  assert.deepEqual(await runHere(['help', 'token', 'create']), await runHere(['token', 'create', '--help']));
  assert.match((await runHere(['help', 'token'])).stdout, /token revoke/);
});

test('help is as wide as the terminal, or 100 characters without a terminal', async () => {
  const widest = (text: string) => Math.max(...text.split('\n').map((line) => line.length));
  let wrapped = 0;
  for (const words of [[], ...commandsOf(PROGRAM).map(({ name }) => name.split(' '))]) {
    const { stdout } = await runHere(['help', ...words]);
    const terminal = Object.assign(new PassThrough(), { columns: 80 });
    await runCommandLine(['help', ...words], { ...NOWHERE, stdout: terminal }, PROGRAM);
    terminal.end();
    const narrow = await text(terminal);
    assert.ok(widest(stdout) <= 100 && widest(narrow) <= 80, `${words}: ${widest(stdout)}, ${widest(narrow)}`);
    // The help of a command without options is short.
    if (narrow !== stdout) assert.ok(widest(stdout) > 80 && widest(narrow) > 60, `${words}: ${widest(stdout)}`);
    wrapped += Number(narrow !== stdout);
    assert.equal(narrow.replaceAll(/\s+/g, ' '), stdout.replaceAll(/\s+/g, ' '));
  }
  assert.ok(wrapped > 10);
});

test('help at a terminal without a size is as wide as without a terminal', async () => {
  const terminal = Object.assign(new PassThrough(), { columns: 0 });
  await runCommandLine(['help', 'serve'], { ...NOWHERE, stdout: terminal }, PROGRAM);
  terminal.end();
  assert.equal(await text(terminal), (await runHere(['help', 'serve'])).stdout);
});

test('-h and --help print the help, unless they follow --', async () => {
  for (const word of ['-h', '--help']) {
    refusedWith(await runHere(['check', '--', word]), 2, /unexpected argument: the command takes none; see /);
    assert.equal((await runHere(['check', word, '--', word])).code, 0);
  }
});

type Wrong = [args: string[], line: RegExp, env?: NodeJS.ProcessEnv];
const ISSUER = ['--jwt-issuer', 'https://issuer.example'];
const AUDIENCE = ['--jwt-audience', 'plants'];
const TOKENS = /token needs a second word: token create, token list, token revoke/;
const wrong: readonly Wrong[] = [
  [['grow'], /no such command: grow; see/],
  [['serv'], /no such command: serv \(did you mean plantstore serve\?\); see/],
  [['serv', '--help'], /no such command: serv \(did you mean plantstore serve\?\); see/],
  [['help', 'serv'], /no such command: serv \(did you mean plantstore serve\?\); see/],
  [['toke', 'create'], /no such command: toke \(did you mean plantstore token\?\); see/],
  [['token', 'creat'], /no such command \(did you mean plantstore token create\?\); see/],
  [['--demo'], /no such command: --demo \(did you mean plantstore serve --demo\?\); see/],
  [['--versoin'], /no such command: --versoin \(did you mean plantstore --version\?\); see/],
  [['--token', 'pst_hunter2'], /no such command: --token /],
  [['token'], TOKENS],
  [['token', 'pst_hunter2'], TOKENS],
  [['token', '--json'], TOKENS],
  [['postgres://u:hunter2@h/d'], /no such command; see/],
  [['serve', 'postgres://u:hunter2@h/d'], /unexpected argument: the command takes none/],
  [['serve', '--colour', 'green'], /unknown option --colour; see plantstore serve --help/],
  [['serve', '--databse', 'sqlite:p.db'], /unknown option --databse \(did you mean --database\?\); see/],
  [['serve', '--tokn', 'pst_hunter2'], /unknown option --tokn; see/],
  [['serve', '--database:postgres://u:hunter2@h'], /: unknown option;/],
  [['serve', '--token', 'pst_hunter2'], /unknown option --token/],
  [['serve', '--port'], /--port needs a value/],
  [['serve', '--port', '1', '--port', '2'], /--port must be given once/],
  [['serve', '--port', 'http'], /--port: it must be an integer from 0 to 65535/],
  [['serve', '--port', '65536'], /--port: /],
  [['serve'], /PLANTSTORE_PORT: /, { PLANTSTORE_PORT: '-1' }],
  [['serve'], /^plantstore: PORT: /, { PORT: 'x' }],
  [['serve', '--database', 'mysql://u:hunter2@h/d'], /--database: /],
  [['serve', '--base-url', 'https://h/p/'], /--base-url: it must not end with a slash$/m],
  [['serve', '--base-url', 'https://h/日本'], /--base-url: .*percent-encoded/],
  [['serve', '--base-url', '192.0.2.1:8080'], /--base-url: it must begin with http:\/\/ or https:\/\/$/m],
  [['serve', '--request-timeout', '10'], /--request-timeout: .*10s/],
  [['serve', '--max-body', '0'], /--max-body: /],
  [['serve', '--max-body', '513KiB'], /--max-body: .* to 524288, /],
  [['serve', '--max-body', '64MiB'], /--max-body: .* to 524288, /],
  [['serve', '--log-level', 'loud'], /--log-level: .*debug/],
  [['serve'], /PLANTSTORE_TOKEN: it must be 16 to 512 characters/, { PLANTSTORE_TOKEN: 'hunter2' }],
  [['serve'], /PLANTSTORE_TOKEN: its checksum is wrong/, { PLANTSTORE_TOKEN: `pst_${'0'.repeat(37)}` }],
  [['serve'], /PLANTSTORE_TOKEN: it must not begin with pss_/, { PLANTSTORE_TOKEN: `pss_${'0'.repeat(36)}` }],
  [['serve'], /PLANTSTORE_TOKEN: it must not look like a JWT/, { PLANTSTORE_TOKEN: 'eyJhIjox.hunter2.x' }],
  [['serve', ...ISSUER], /--jwt-issuer and --jwt-audience need each other/],
  [['serve', ...AUDIENCE], /--jwt-issuer and --jwt-audience need each other/],
  [['serve', '--jwks-url', 'https://h/keys'], /need each other/],
  ...['http://h', 'https://h/?a=b', 'https://user@h', 'https://:hunter2@h', 'https://h/#a'].map(
    (url): Wrong => [['serve', '--jwt-issuer', url, ...AUDIENCE], /--jwt-issuer: it must be an https URL/],
  ),
  [['serve', ...ISSUER, ...AUDIENCE, '--jwks-url', 'http://127.0.0.1.evil.example/'], /--jwks-url: .* an https URL/],
  [['serve', ...ISSUER, ...AUDIENCE, '--jwt-typ', 'a b'], /--jwt-typ: it must be a type/],
  ...['0/s', '100', '100/w', '100/2d', '1.5/s'].map(
    (rate): Wrong => [['serve', '--rate-limit', rate], /--rate-limit: it must be a number of requests in a time/],
  ),
];
for (const [args, line, env = {}] of wrong) {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  test(`${[...variables, 'plantstore', ...args].join(' ')}: one line without a secret, exit code 2`, async () => {
    const finished = await runHere(args, env);
    refusedWith(finished, 2, line);
    assert.doesNotMatch(finished.stderr, /hunter2|pst_/);
  });
}

test('the URL of a key set may use plain http for every name of this machine', () => {
  for (const url of ['http://localhost:1/keys', 'http://127.1.2.3/keys', 'http://[::1]:1/keys']) {
    assert.equal(keysUrl(url), url);
  }
});

test('a base URL is accepted unchanged if it is a valid URI, and refused otherwise', () => {
  for (const url of ["https://Plants.example:8443/%E6%97%A5/a;b=c!$&'()*+,:~_-.d", 'http://[::1]:1', 'HTTPS://h']) {
    assert.equal(baseUrl(url), url);
  }
  const paths = ['a b', 'a\r\nb', 'a|b', '100%', 'a/../b', './a', 'a\\b', 'a"b', '<a>'];
  const others = ['https://gärten.example', 'https://a b', 'https:h', 'https://', 'https://[1', 'ftp://h'];
  for (const url of [...paths.map((path) => `https://h/${path}`), ...others]) {
    assert.throws(() => baseUrl(url), /^Error: it must /, url);
  }
});

test('the URL of a database may omit the host and use percent-encoding', () => {
  const right = [
    'postgres:///d',
    'postgresql://u@/d?host=%2Frun',
    'postgres://u:1%2F%3F%23%40@h/d?sslmode=verify-full',
  ];
  for (const url of right) assert.equal(database(url), url);
});
