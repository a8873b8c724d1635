/** Gradings of other services, which a manifest describes. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { refusedWith, runHere } from '../../../test/harness/process.ts';
import { outcomes, place, prepare, writeInPlace } from '../grade/prepared-grading.ts';

const DESCRIPTION = {
  paths: { '/{any}': { get: { operationId: 'echo', description: 'The response\n  is always 200.' } } },
};

/** A service in JavaScript: `first` runs before it listens. It has one defect, and counts only what it must. */
const serviceThat = (first: string) => `
import { createServer } from 'node:http';
import { Socket } from 'node:net';
const channel = new Socket({ fd: Number(process.env.GRADE_CHANNEL) });
const send = (message) => channel.write(JSON.stringify(message) + '\\n');
const counts = { requests: 0, triggered: 0, succeeded: 0 };
channel.once('data', (line) => {
  const { defect } = JSON.parse(line);
  ${first}
  const server = createServer((request, response) => {
    counts.requests++;
    counts.succeeded++;
    if (request.url === '/openapi.json') response.end(${JSON.stringify(JSON.stringify(DESCRIPTION))});
    else {
      if (defect === 'status-500') counts.triggered++;
      response.writeHead(defect === 'status-500' ? 500 : 200).end(process.cwd());
    }
    send({ counts });
  });
  server.listen(0, '127.0.0.1', () => send({ url: 'http://127.0.0.1:' + server.address().port }));
  channel.on('end', () => process.exit());
});
`;

const DEFECT = {
  name: 'status-500',
  tier: 'schema',
  does: 'It fails.',
  operation: 'any',
  breaks: '#/paths',
  ruleIn: 'schema',
  wfc: [100],
};
const MANIFEST = { name: 'Echo', version: '7', openapi: '/openapi.json', defects: [DEFECT] };

let written = 0;

/** Writes a service and its manifest. Returns the path of the manifest. */
function writeService(first = '', more: object = {}): string {
  written += 1;
  writeInPlace(`service-${written}.mjs`, serviceThat(first));
  const start = [process.execPath, `{folder}/service-${written}.mjs`];
  return writeInPlace(`manifest-${written}.json`, JSON.stringify({ ...MANIFEST, start, ...more }));
}

const tester = ['curl', '-sf', '{url}/'];

test('a service of a manifest is graded, each run in a folder of its own', async () => {
  const grading = prepare(['--manifest', writeService()], tester);
  const { code, stdout, stderr } = await grading.run();
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^Numbers of defects \(Echo 7\):$/m);
  assert.match(stdout, /^On the clean service \(median\): 1 request in \d\.\d s\.$/m);
  const { service, runs, ...record } = grading.record();
  assert.deepEqual(outcomes(record), { 'status-500': 'noticed' });
  assert.equal(service.name, 'Echo');
  assert.equal(runs.length, 4);
  const folders = grading.printed(null);
  assert.equal(new Set(folders).size, 3);
  assert.ok(!folders.includes(process.cwd()));
  assert.deepEqual(grading.leftovers(), []);
});

test('the tester gets the values of the manifest', async () => {
  const values = [{ name: 'readToken', value: 'secret-7' }];
  const sends = `curl -sf {url}/ > /dev/null && echo {readToken} $PLANTSTORE_READ_TOKEN`;
  const grading = prepare(['--manifest', writeService('', { values })], ['sh', '-c', sends]);
  const { stderr } = await grading.run();
  assert.equal(grading.printed(null)[0], 'secret-7 secret-7\n');
  // The service counts no credentials, but needs them.
  assert.match(stderr, /no score: on the clean service the tester never sent a credential/);
});

test('--manifest sandboxes grades on the API of the sandboxes, with the tokens of two sandboxes', async () => {
  const script = `
    status() { curl -s -o /dev/null -w '%{http_code}' "$PLANTSTORE_URL$1" "$2" "$3"; }
    set -e
    status /sandbox -H "Authorization: Bearer $PLANTSTORE_TOKEN" | grep 200
    status /sandbox -H "Authorization: Bearer $PLANTSTORE_OTHER_TOKEN" | grep 200
    [ "$PLANTSTORE_TOKEN" != "$PLANTSTORE_OTHER_TOKEN" ]
    curl -sf "$PLANTSTORE_OPENAPI" | grep createSandbox > /dev/null
    status /sandboxes --json '{}' | grep 201`;
  const only = ['--only', 'sandbox-status-undeclared,fault-rules-stay'];
  const grading = prepare(['--manifest', 'sandboxes', ...only], ['sh', '-c', script]);
  const { code, stdout, stderr } = await grading.run();
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^Numbers of defects \(Sandboxes of Plant Store \d/m);
  const expected = { 'sandbox-status-undeclared': 'noticed', 'fault-rules-stay': 'not triggered' };
  assert.deepEqual(outcomes(grading.record()), expected);
});

test('--manifest events grades on the feed of events, as published or with the variants of a seed', async () => {
  const script = `
    auth="Authorization: Bearer $PLANTSTORE_TOKEN"
    set -e
    curl -sf "$PLANTSTORE_OPENAPI" | grep listEvents > /dev/null
    for id in 1 2 3; do curl -sf "$PLANTSTORE_URL/plants" -H "$auth" --json "{\\"id\\":$id,\\"name\\":\\"Aloe\\"}"; done
    curl -sf "$PLANTSTORE_URL/events" -H "$auth" | grep '"sequence":3'`;
  const only = ['--only', 'event-lost,previous-value-wrong'];
  const published = prepare(['--manifest', 'events', ...only], ['sh', '-c', script]);
  const { code, stdout, stderr } = await published.run();
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^Numbers of defects \(Events of Plant Store \d/m);
  assert.deepEqual(outcomes(published.record()), { 'event-lost': 'noticed', 'previous-value-wrong': 'not triggered' });
  // The seed 3 loses other events.
  const varied = prepare(['--manifest', 'events', '--variants', '3', ...only], ['sh', '-c', script]);
  assert.equal((await varied.run()).code, 0);
  assert.notEqual(outcomes(varied.record())['event-lost'], 'noticed');
});

const BROKEN = {
  'process.exit(3)': /^plantstore: the service did not start: it ended with exit code 3\n$/,
  'throw new Error("no tea")': /^plantstore: the service did not start: [^\n]*\n$/,
  'send({ counts: { requests: -1 } })':
    /the service did not start: it sent a wrong message: it\.counts\.triggered is missing/,
  'channel.write("tea\\n")': /the service did not start: it sent a wrong message: /,
  'send({ url: "tea" })': /it sent a wrong message: it\.url must be an http URL without a slash at the end/,
};
const NOT_STARTED: Readonly<Record<string, readonly [command: readonly string[], why: string]>> = {
  'an unknown program': [['no-such-tea', 'pot'], 'no-such-tea: no such program'],
  'a program in a file': [[`${process.execPath}/tea`], `${process.execPath}/tea: no such program`],
  'a file that is not executable': [[fileURLToPath(import.meta.url)], 'the file is not executable'],
  'a program that ends': [['true'], 'it ended with exit code 0'],
  'an error of Java': [
    ['sh', '-c', String.raw`printf 'Exception in thread "main" Why: no tea\n\tat Lamp.main(Lamp.java:10)\n' >&2`],
    'Exception in thread "main" Why: no tea',
  ],
  'a panic of Go': [
    ['sh', '-c', String.raw`printf 'panic: no tea\n\ngoroutine 1 [running]:\n\t/main.go:32 +0x4a\n' >&2; exit 2`],
    'panic: no tea',
  ],
  'a program that prints why': [['sh', '-c', 'echo one; echo Port in use >&2; exit 1'], 'Port in use'],
  'a line without end': [['sh', '-c', 'exec cat /dev/zero >&3'], 'it sent a line of more than 16 MiB on the channel'],
  'a line without end of a process that left its group': [
    ['sh', '-c', 'exec setsid --wait cat /dev/zero >&3'],
    'it sent a line of more than 16 MiB on the channel',
  ],
  'a missing script of a shell': [['sh', '{folder}/none.sh'], 'none.sh'],
  'a missing script of Node': [[process.execPath, '{folder}/none.mjs'], 'Error: Cannot find module'],
};
for (const [what, [start, why]] of Object.entries(NOT_STARTED)) {
  test(`a service that does not start because of ${what} ends grading with one line`, async () => {
    const finished = await prepare(['--manifest', writeService('', { start })], tester).run();
    refusedWith(finished, 1, /^plantstore: the service did not start: /);
    assert.ok(finished.stderr.includes(why), finished.stderr);
  });
}

/** A terminal would set its title and reverse its text. */
const HOSTILE = '\u001b]0;PWNED\u0007\u009b2J\u202e';
const HOSTILE_SHOWN = '\ufffd]0;PWNED\ufffd\ufffd2J\ufffd';

test('what a manifest and a service say is printed without characters that a terminal obeys', async () => {
  const refuse = async (manifest: string, line: string) => {
    const finished = await prepare(['--manifest', manifest], tester).run();
    refusedWith(finished, 1, /^[^\p{Cc}\p{Bidi_Control}]*\n$/u);
    assert.ok(finished.stderr.includes(line), finished.stderr);
  };
  await refuse(writeService('', { [HOSTILE]: 1 }), `manifest.${HOSTILE_SHOWN} is unknown`);
  await refuse(writeService('', { start: [HOSTILE] }), `${HOSTILE_SHOWN}: no such program`);
  await refuse(writeService('', { start: ['sh', '-c', 'echo "$0" >&2; exit 1', HOSTILE] }), HOSTILE_SHOWN);
  await refuse(writeService('', { openapi: `/${HOSTILE}` }), `GET /${HOSTILE_SHOWN} of the service`);
  await refuse(writeService('', { defects: [{ ...DEFECT, breaks: HOSTILE }] }), `does not contain ${HOSTILE_SHOWN}`);
  const named = prepare(['--manifest', writeService('', { name: HOSTILE, version: HOSTILE })], tester);
  const { code, stdout, stderr } = await named.run();
  assert.equal(code, 0, stderr);
  assert.ok(stdout.includes(`Numbers of defects (${HOSTILE_SHOWN} ${HOSTILE_SHOWN}):`), stdout);
  assert.doesNotMatch(stdout + stderr, /(?!\n)[\p{Cc}\p{Bidi_Control}]/u);
});

test('a defect must name an operation and a rule of the description', async () => {
  const run = (change: object) =>
    prepare(['--manifest', writeService('', { defects: [{ ...DEFECT, ...change }] })], tester).run();
  const refuse = async (change: object, line: RegExp) => refusedWith(await run(change), 1, line);
  await refuse(
    { operation: 'ecko' },
    /cannot be used: status-500: the description has no operation ecko \(did you mean echo\?\)\n/,
  );
  await refuse({ breaks: '#/paths/0' }, /status-500: the description does not contain #\/paths\/0\n/);
  await refuse(
    { breaks: 'The response\nis never 200.' },
    /status-500: the description does not contain The response is never 200\.\n/,
  );
  for (const right of [
    { operation: 'echo' },
    { breaks: '#/paths/~1%7Bany%7D/get' },
    { breaks: 'response is\nalways' },
  ]) {
    const { code, stderr } = await run(right);
    assert.equal(code, 0, stderr);
  }
});

for (const [first, line] of Object.entries(BROKEN)) {
  test(`a service that does not start because of ${first} ends grading with one line`, async () => {
    refusedWith(await prepare(['--manifest', writeService(first)], tester).run(), 1, line);
  });
}

test('a service that ends or fails during a run ends grading with one line', async () => {
  const first = `if (defect !== null) setTimeout(() => channel.write('tea\\n'), 300)`;
  const grading = prepare(['--manifest', writeService(first)], ['sh', '-c', 'curl -s {url}/; sleep 20']);
  const { code, stderr } = await grading.run();
  assert.equal(code, 1);
  assert.match(stderr, /^plantstore: the service ended during run-0\d: it sent a wrong message: [^\n]+\n$/m);
});

test('a line without end during a run ends grading, even if the service leaves a process behind', async () => {
  const first = `if (defect !== null) setTimeout(() => {
    const { spawn } = process.getBuiltinModule('child_process');
    spawn('sleep', ['60'], { detached: true, stdio: ['ignore', 'ignore', 2] });
    const send = () => channel.write('x'.repeat(1024 * 1024), send);
    send();
  }, 300)`;
  const manifest = ['--manifest', writeService(first), '--jobs', '4'];
  const { code, stderr } = await prepare(manifest, ['sh', '-c', 'curl -s {url}/; sleep 3']).run();
  assert.equal(code, 1);
  const line = /^plantstore: the service ended during run-0\d: it sent a line of more than 16 MiB on the channel\n$/m;
  assert.match(stderr, line);
});

test('a path without a description ends grading with one line', async () => {
  const manifest = writeService('', { openapi: '/none' });
  const { code, stderr } = await prepare(['--manifest', manifest], tester).run();
  assert.deepEqual([code, stderr], [1, 'plantstore: GET /none of the service returns no description in JSON\n']);
});

const VALID = { ...MANIFEST, start: ['tea'] };
const value = { name: 'token', value: 'x' };
const WRONG: readonly (readonly [manifest: object, line: RegExp, isAlsoRefusedBySchema: boolean])[] = [
  [{ ...VALID, name: '' }, /manifest\.name must be a string that is not empty/, true],
  [{ ...VALID, nome: 'x' }, /manifest\.nome is unknown; the members are /, true],
  [
    { ...VALID, defects: [{ ...DEFECT, ruleIn: 'x' }] },
    /manifest\.defects\.0\.ruleIn must be one of schema, prose/,
    true,
  ],
  [{ ...VALID, defects: [{ ...DEFECT, name: '../x' }] }, /defects\.0\.name must be a string: lower-case letters/, true],
  [{ ...VALID, start: 'tea' }, /manifest\.start must be an array/, true],
  [
    { ...VALID, values: [{ ...value, name: 'a-b' }] },
    /manifest\.values\.0\.name must be a string: a name such as /,
    true,
  ],
  [{ ...VALID, start: [] }, /manifest\.start names no program/, false],
  [{ ...VALID, start: ['./shop'] }, /manifest\.start: \.\/shop starts in an empty folder; write \{folder\}\/ /, false],
  [{ ...VALID, values: [value, value] }, /two values have the name token/, false],
  [{ ...VALID, values: [{ ...value, name: 'url' }] }, /the name url is reserved/, false],
  [{ ...VALID, defects: [] }, /manifest\.defects names no defect/, false],
  [{ ...VALID, defects: [DEFECT, DEFECT] }, /two defects have the name status-500/, false],
];
const isValid = new Ajv2020().compile(JSON.parse(readFileSync('contract/manifest.schema.json', 'utf8')));

for (const [i, [manifest, line, isRefused]] of WRONG.entries()) {
  test(`a manifest is refused in one line: ${line.source}`, async () => {
    const path = writeInPlace(`wrong-${i}.json`, JSON.stringify(manifest));
    refusedWith(await runHere(['grade', '--manifest', path, '--', 'true']), 1, line);
    assert.equal(isValid(manifest), !isRefused);
  });
}

test('the manifest of the example is valid, and one that is no JSON or no file is refused', async () => {
  assert.ok(
    isValid(JSON.parse(readFileSync('examples/tea-shop/manifest.json', 'utf8'))),
    JSON.stringify(isValid.errors),
  );
  assert.ok(isValid(VALID));
  const refuse = async (path: string, line: RegExp) =>
    refusedWith(await runHere(['grade', '--manifest', path, '--', 'true']), 1, line);
  await refuse(
    writeInPlace('no.json', '{"name": tea}'),
    /the manifest .*no\.json cannot be used: there is a syntax error\n/,
  );
  await refuse(writeInPlace('no.json', '{\n  "name" "tea"}'), /there is a syntax error at line 2, column 10\n/);
  await refuse(
    place.at('none.json'),
    /cannot read the manifest .*none\.json: no such file or directory \(ENOENT\); correct the path\n/,
  );
  await refuse(place.at('.'), /cannot read the manifest .*: it is a directory \(EISDIR\); choose the path of a file\n/);
  await refuse('sandbox', /cannot read the manifest sandbox \(did you mean sandboxes\?\): no such file or directory /);
});

test('the options for Plant Store cannot be given with a manifest, and --only knows its defects', async () => {
  const manifest = writeService();
  const args = (...options: readonly string[]) => ['grade', '--manifest', manifest, ...options, '--', 'true'];
  refusedWith(await runHere(args('--variants', '1')), 2, /cannot be given with --manifest/);
  refusedWith(await runHere(args('--plants', 'x')), 2, /cannot be given with --manifest/);
  refusedWith(await runHere(args('--only', 'status-50')), 2, /did you mean status-500\?\); they are status-500/);
});
