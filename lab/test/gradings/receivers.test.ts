/** Grades the careful receivers of the guide, and the careless control, in every scenario. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createDirectory } from '../../../test/harness/directory.ts';
import { runCommand } from '../../../test/harness/process.ts';
import { SCENARIOS } from '../../grade/receiver/scenarios.ts';

const pathOf = (file: string) => fileURLToPath(new URL(`../../../${file}`, import.meta.url));
const VARIABLES = ['PORT={port}', 'WEBHOOK_SECRET={secret}', 'EVENTS={report}'];
const CAREFUL = pathOf('examples/receivers/careful.ts');

/** Resolves to the outcome of each scenario, by its name. */
async function grade(...command: readonly string[]): Promise<Readonly<Record<string, string>>> {
  using directory = createDirectory();
  const json = directory.at('receiver.json');
  const files = ['--output', directory.at('output'), '--json', json];
  const { stderr } = await runCommand(['grade', 'receiver', ...files, '--', 'env', ...VARIABLES, ...command]);
  const { outcomes } = JSON.parse(readFileSync(json, 'utf8')) as {
    readonly outcomes: readonly { readonly scenario: string; readonly outcome: string }[];
  };
  assert.equal(outcomes.length, SCENARIOS.length, stderr);
  return Object.fromEntries(outcomes.map(({ scenario, outcome }) => [scenario, outcome]));
}

const ALL_VERIFIED = Object.fromEntries(SCENARIOS.map(({ name }) => [name, 'verified']));

test('the careful receiver in TypeScript is right in every scenario', async () => {
  assert.deepEqual(await grade(process.execPath, pathOf('examples/receivers/careful.ts')), ALL_VERIFIED);
});

test('the careful receiver in Python is right in every scenario', async () => {
  assert.deepEqual(await grade('python3', '-B', pathOf('examples/receivers/careful.py')), ALL_VERIFIED);
});

test('the careful receivers have at most 40 lines', () => {
  for (const file of ['careful.ts', 'careful.py']) {
    const lines = readFileSync(pathOf(`examples/receivers/${file}`), 'utf8')
      .trimEnd()
      .split('\n');
    assert.ok(lines.length <= 40, `${file}: ${lines.length} lines`);
  }
});

test('the careless receiver is wrong in each scenario for which it has a mistake', async () => {
  assert.deepEqual(await grade(process.execPath, pathOf('lab/receivers/careless.ts')), {
    ...ALL_VERIFIED,
    exact: 'lost',
    'old-secret': 'lost',
    'other-versions': 'lost',
    'test-message': 'lost',
    'unknown-type': 'lost',
    repeated: 'processed twice',
    'same-time': 'processed twice',
    unsigned: 'ignored',
    huge: 'ignored',
    'no-json': 'failed',
    empty: 'failed',
    'short-signature': 'crashed',
    'no-base64': 'crashed',
    'no-version': 'crashed',
    old: 'accepted a replay',
    future: 'accepted a replay',
    'another-format': 'accepted a forgery',
    'another-version': 'accepted a forgery',
  });
});

/** Grades a receiver that a shell starts, in some scenarios. Resolves to the end of the command, and its outcomes. */
async function gradeScript(script: string, names: string, ...options: readonly string[]) {
  using directory = createDirectory();
  const json = directory.at('receiver.json');
  const files = ['--output', directory.at('output'), '--json', json, '--only', names, ...options];
  const command = script.replaceAll('CAREFUL', `env ${VARIABLES.join(' ')} ${process.execPath} ${CAREFUL}`);
  const left = directory.at('left');
  const ended = await runCommand(['grade', 'receiver', ...files, '--', 'sh', '-c', command.replaceAll('LEFT', left)]);
  const { outcomes } = JSON.parse(readFileSync(json, 'utf8')) as {
    readonly outcomes: readonly { readonly scenario: string; readonly outcome: string; readonly reason?: string }[];
  };
  const output = readFileSync(directory.at('output/right/output.txt'), 'utf8');
  const view = readFileSync(directory.at('output/right/service.json'), 'utf8');
  const pids = existsSync(left) ? readFileSync(left, 'utf8').trim().split('\n').map(Number) : [];
  return { ...ended, outcomes: outcomes.map(({ outcome }) => outcome), output, view, pids };
}

/** A process that has ended stays as a zombie until its parent asks for its exit code. */
function isRunning(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout !== '' && !stdout.startsWith('Z');
}

for (const [name, script] of [
  ['runs it with exec', 'exec CAREFUL'],
  ['runs it without exec', 'CAREFUL; true'],
  ['ignores SIGTERM', 'trap "" TERM; CAREFUL & wait'],
  ['prints 100 MB first', 'head -c 100000000 /dev/zero | tr "\\0" x; exec CAREFUL'],
] as const) {
  test(`a receiver is right if its shell script ${name}`, async () => {
    const { outcomes, output, stderr } = await gradeScript(script, 'right,unsigned,same-time');
    assert.deepEqual(outcomes, ['verified', 'verified', 'verified'], stderr);
    assert.ok(output.length < 2_000_000);
  });
}

test('processes that a receiver leaves behind end with it, also those outside of its process group', async () => {
  const script = 'sleep 1000 & echo $! >> LEFT; setsid sh -c "echo \\$\\$ >> LEFT; exec sleep 1000" & exec CAREFUL';
  const { outcomes, pids } = await gradeScript(script, 'right,unsigned');
  assert.deepEqual(outcomes, ['verified', 'verified']);
  assert.equal(pids.length, 4);
  assert.deepEqual(pids.filter(isRunning), []);
});

const serving = (handler: string) => `exec ${process.execPath} -e '
  const fs = require("fs");
  require("http").createServer((request, response) => {
    let body = "";
    request.on("data", (part) => { body += part; });
    request.on("end", () => { ${handler} });
  }).listen(process.env.PLANTSTORE_PORT, "127.0.0.1");'`;

test('a receiver that never answers ends the grading after its first scenario', async () => {
  const { code, outcomes, stderr } = await gradeScript(serving(''), 'right,unsigned,old');
  assert.equal(code, 1);
  assert.deepEqual(outcomes, ['lost']);
  assert.match(stderr, /answered nothing, nothing; it must answer within 15 s/);
});

test('a receiver that answers before it stores a message loses nothing', async () => {
  const handler = `response.writeHead(204).end();
    setTimeout(() => fs.appendFileSync(process.env.PLANTSTORE_REPORT, body + "\\n"), 300);`;
  const { outcomes, view } = await gradeScript(serving(handler), 'right,changes,out-of-order');
  assert.deepEqual(outcomes, ['verified', 'verified', 'verified']);
  const { messages, attempts, stored } = JSON.parse(view);
  assert.deepEqual([messages[0].from, messages[0].outcome, messages[0].answers], ['the service', 'verified', [204]]);
  assert.deepEqual([attempts[0].type, attempts[0].status, attempts[0].message], ['plant.created', 204, stored[0]]);
});

/** Stores each id once. `answers`: what it answers to a message, by the number of its earlier arrivals. */
const counting = (answers: string, keep = '') =>
  serving(`const id = JSON.parse(body).id;
    const times = globalThis.seen?.[id] ?? 0;
    globalThis.seen = { ${keep} [id]: times + 1 };
    if (times === 0) fs.appendFileSync(process.env.PLANTSTORE_REPORT, body + "\\n");
    response.writeHead(${answers}).end();`);
const KEEP = '...globalThis.seen,';

test('a receiver that refuses an event that comes again loses the events after it', async () => {
  for (const status of [409, 500]) {
    const { outcomes, stdout } = await gradeScript(
      counting(`times ? ${status} : 204`, KEEP),
      'right,repeated,same-time',
    );
    assert.deepEqual(outcomes, ['verified', 'lost', 'lost']);
    assert.match(stdout, new RegExp(`^repeated +lost +answered 204, ${status}, ${status}$`, 'm'));
  }
});

test('a receiver that accepts each event at its second attempt loses nothing', async () => {
  const { outcomes } = await gradeScript(counting('times ? 204 : 503', KEEP), 'right,changes,out-of-order');
  assert.deepEqual(outcomes, ['verified', 'verified', 'verified']);
});

test('a receiver that keeps only the last id processes an event twice', async () => {
  const { outcomes } = await gradeScript(counting('204'), 'right,repeated');
  assert.deepEqual(outcomes, ['verified', 'processed twice']);
});

test('a receiver that stores a repeated or forged message a second later is found', async () => {
  const handler = `response.writeHead(204).end();
    const id = request.headers["webhook-id"];
    const isLate = !request.headers["webhook-signature"] || globalThis[id];
    globalThis[id] = true;
    const store = () => fs.appendFileSync(process.env.PLANTSTORE_REPORT, JSON.stringify({ id }) + "\\n");
    setTimeout(store, isLate ? 1000 : 0);`;
  const { outcomes } = await gradeScript(serving(handler), 'right,repeated,unsigned');
  assert.deepEqual(outcomes, ['verified', 'processed twice', 'accepted a forgery']);
});

test('a receiver that asks the service to wait for an hour does not stop the grading', async () => {
  const handler = 'response.writeHead(503, { "retry-after": "3600" }).end();';
  const { outcomes, stderr } = await gradeScript(serving(handler), 'right');
  assert.deepEqual(outcomes, ['lost']);
  assert.match(stderr, /answered 503; it must answer 2xx/);
});

test('a receiver that listens on another port has no result', async () => {
  const script = `exec ${process.execPath} -e 'require("http").createServer().listen(0, "127.0.0.1")'`;
  const { code, outcomes, stderr } = await gradeScript(script, 'right,old', '--timeout', '2s');
  assert.deepEqual([code, outcomes], [1, ['void']]);
  assert.match(stderr, /it did not listen on port \d+ of 127\.0\.0\.1; .*; \{port\} is the port to listen on/);
});

for (const [status, remedy] of [
  [401, /answered 401, 401; the secret is \{secret\} \(PLANTSTORE_SECRET\)/],
  [204, /answered 204; it must add the line \{"id":"…"\} for each message to \{report\} .* within 2 s/],
  [404, /answered 404, 404; --path is the path to which the messages are sent/],
  [410, /answered 410; the secret is \{secret\}/],
] as const) {
  test(`a receiver that always answers ${status} has no result, and the error contains the remedy`, async () => {
    const { code, outcomes, stderr } = await gradeScript(serving(`response.writeHead(${status}).end();`), 'right,old');
    assert.deepEqual([code, outcomes], [1, ['lost']]);
    assert.match(stderr, /did not store the first right message, so no other scenario was run: answered/);
    assert.match(stderr, remedy);
  });
}
