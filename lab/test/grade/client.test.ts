/** `plantstore grade client` as a process, with the careful client of the guide and with a careless one. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createDirectory } from '../../../test/harness/directory.ts';
import { type Finished, refusedWith, runCommand } from '../../../test/harness/process.ts';
import { SCENARIOS } from '../../grade/client/scenarios.ts';
import { type Attempt, type Belief, conductOf, judge, reasonAgainst } from '../../grade/client/verdict.ts';
import { worstOf } from '../../grade/outcomes.ts';
import { CLIENT_OUTCOMES } from '../../util/meanings.ts';

interface Recorded {
  readonly scenario: string;
  readonly outcome: string;
  readonly reason?: string;
  readonly problem?: string;
  readonly conduct: { readonly attempts: number; readonly early: number; readonly repeatedFinal: number };
}

const adapter = (name: string) => [
  process.execPath,
  fileURLToPath(new URL(`../../clients/${name}/adapter.ts`, import.meta.url)),
];

/** Grades a client in some scenarios. Resolves to the outcome of each, by its name. */
const grade = (command: readonly string[], ...names: readonly string[]) => gradeWith([], command, ...names);

async function gradeWith(options: readonly string[], command: readonly string[], ...names: readonly string[]) {
  using directory = createDirectory();
  const json = directory.at('client.json');
  const files = ['--output', directory.at('output'), '--json', json];
  const { code, stdout, stderr } = await runCommand([
    'grade',
    'client',
    ...files,
    ...options,
    '--only',
    names.join(),
    '--',
    ...command,
  ]);
  assert.equal(code, 0, stderr);
  const { outcomes } = JSON.parse(readFileSync(json, 'utf8')) as { readonly outcomes: readonly Recorded[] };
  return { stdout, outcomes: new Map(outcomes.map((one) => [one.scenario, one])) };
}

const HARD = [
  'post-reset-after',
  'put-if-match-reset-after',
  'delete-raced',
  'post-raced',
  'get-cut',
  'get-big-id',
  'pages',
];

test('the careful client of the guide is right where a careless client is wrong', async () => {
  const careful = await grade(adapter('careful-typescript'), ...HARD);
  assert.deepEqual(
    [...careful.outcomes.values()].map(({ outcome }) => outcome),
    HARD.map(() => 'right'),
    careful.stdout,
  );
  assert.match(careful.stdout, /^7 right$/m);
});

test('a careless client shows every kind of error', async () => {
  const { outcomes } = await grade(
    adapter('careless'),
    ...['post-503-before', 'post-reset-after', 'delete-raced', 'get-big-id', 'get-404', 'put-raced'],
  );
  assert.deepEqual(Object.fromEntries([...outcomes].map(([name, { outcome }]) => [name, outcome])), {
    'post-503-before': 'lost',
    'post-reset-after': 'ghost',
    'put-raced': 'disputed',
    'delete-raced': 'overwritten',
    'get-404': 'wrong data',
    'get-big-id': 'wrong data',
  });
});

/** The lines of progress come before the error, as each scenario ends. */
const withoutProgress = ({ stderr, ...rest }: Finished): Finished => ({
  ...rest,
  stderr: stderr.replaceAll(/^\d+ of \d+: .*\n/gm, ''),
});

test('a client that sends no request has no result, and the error contains the reason', async () => {
  using directory = createDirectory();
  const output = directory.at('output');
  const args = ['grade', 'client', '--output', output, '--only', 'post-503-forever', 'put-raced', '--'];
  const none = /no result: the first scenario got no request, so no other was run: it ended with exit code 3; /;
  const silent = await runCommand([...args, 'sh', '-c', 'exit 3']);
  refusedWith(withoutProgress(silent), 1, none);
  assert.match(
    silent.stderr,
    /3; the command printed nothing; it runs in an empty folder, so \{cwd\}\/FILE is a file of/,
  );
  const loud = await runCommand([...args, 'sh', '-c', 'echo first; echo no such module >&2; exit 3']);
  refusedWith(withoutProgress(loud), 1, none);
  const printed = `${output}/post-503-forever/output.txt`;
  assert.ok(loud.stderr.includes(`3; the last line that it printed is "no such module", in ${printed}; it runs`));
  // The last line of Node is its version.
  const thrown = await runCommand([...args, process.execPath, '-e', 'throw new TypeError("no client")']);
  assert.match(thrown.stderr, /1; the last line that it printed is "TypeError: no client", in /);
  assert.deepEqual(readdirSync(output), ['post-503-forever']);
  const quiet = curl('true', 1, UNKNOWN);
  refusedWith(
    withoutProgress(await runCommand([...args, ...quiet])),
    1,
    /no result: no request of a task arrived with its token; /,
  );
});

const HEADERS = '-H "Authorization: Bearer {token}" -H "Content-Type: application/json"';
/** Sends a request with curl, and reports `result` for the task. */
const curl = (request: string, task: number, result: string) => [
  ...['sh', '-c'],
  `${request.replaceAll('CURL', `curl -s -o /dev/null ${HEADERS}`)}
   echo '{"task":${task},${result}}' > {report}`,
];
const UNKNOWN = '"status":503';

test('a client whose time-out passes before its first request gets no verdict', async () => {
  const command = curl('case {tasks} in *get-404*) CURL {url}/plants/12;; esac', 1, UNKNOWN);
  const { stdout, outcomes } = await grade(command, 'get-404', 'post-503-forever');
  assert.equal(outcomes.get('get-404')?.outcome, 'unknown');
  assert.equal(outcomes.get('post-503-forever')?.outcome, 'void');
  assert.match(stdout, /^post-503-forever +void +0 +no request of a task arrived with its token$/m);
  assert.match(stdout, /^1 unknown, 1 void$/m);
});

test('a client that reads the plant first need not send a request that must fail', async () => {
  const look = curl('CURL {url}/plants/12', 1, '"status":404');
  const { outcomes } = await grade(look, 'delete-404', 'delete-503-after');
  assert.equal(outcomes.get('delete-404')?.outcome, 'right');
  assert.equal(outcomes.get('delete-503-after')?.outcome, 'void');
  assert.equal((await grade(look, 'delete-404')).outcomes.get('delete-404')?.outcome, 'right');
});

test('a client reaches the service beside a proxy in its environment, and sees no test runner around it', async () => {
  using directory = createDirectory();
  const proxy = 'http://127.0.0.1:9';
  const json = directory.at('client.json');
  const files = ['--output', directory.at('output'), '--json', json];
  const command = curl('test -z "$NODE_TEST_CONTEXT" && CURL {url}/plants/12', 1, '"status":404');
  const args = ['grade', 'client', ...files, '--only', 'get-404', '--', ...command];
  const { code, stderr } = await runCommand(args, {
    ...{ http_proxy: proxy, HTTP_PROXY: proxy, ALL_PROXY: proxy, NO_PROXY: 'plants.example', NODE_USE_ENV_PROXY: '1' },
    NODE_TEST_CONTEXT: 'child-v8',
  });
  assert.equal(code, 0, stderr);
  const { outcomes } = JSON.parse(readFileSync(json, 'utf8')) as { readonly outcomes: readonly Recorded[] };
  assert.deepEqual(
    outcomes.map(({ outcome }) => outcome),
    ['right'],
  );
});

test('a client that loses the token has no result, and the error contains the reason', async () => {
  using directory = createDirectory();
  const args = ['grade', 'client', '--output', directory.at('output'), '--only', 'get-404', '--'];
  const command = ['sh', '-c', `curl -s {url}/plants/12; echo '{"task":1,"status":401}' > {report}`];
  const { code, stderr } = await runCommand([...args, ...command]);
  assert.equal(code, 1);
  assert.match(stderr, /no result: no request of a task arrived with its token; /);
});

test('a client whose time-out passes although no fault delays the response gets no verdict', () => {
  const [abandoned, done] = [attempt({ status: 0, isAbandoned: true, isCarriedOut: false }), belief('done', 200)];
  assert.match(reasonAgainst(done, [abandoned, attempt({})], true, false) ?? '', /came after the time-out/);
  assert.equal(reasonAgainst(done, [{ ...abandoned, hasFault: true }, attempt({})], true, false), undefined);
  // The service has sent a response, and the client reports none.
  const missing = { ...belief('unknown'), isMissing: true };
  assert.match(reasonAgainst(missing, [attempt({})], true, true) ?? '', /came after the time-out/);
  assert.equal(reasonAgainst(missing, [attempt({ hasFault: true })], true, true), undefined);
  assert.equal(reasonAgainst(done, [attempt({}), attempt({})], true, true), undefined);
});

test('a client that refuses a response without a fault has an outcome', async () => {
  const { outcomes } = await grade(
    curl('CURL {url}/plants/12; CURL {url}/plants/12', 1, '"error":"another length than before"'),
    'get-cut-chunked',
  );
  assert.equal(outcomes.get('get-cut-chunked')?.outcome, 'unknown');
});

test('a client that does not meet the fault of a scenario gets no verdict', async () => {
  const post = `-X POST -d '{"id":12,"name":"Aloe vera","tag":"succulent"}' {url}/plants`;
  const done = '"status":200,"body":"{}"';
  const apart = await grade(curl(`CURL {url}/plants; CURL ${post}`, 2, done), 'post-idle-closed');
  assert.equal(apart.outcomes.get('post-idle-closed')?.outcome, 'void');
  assert.match(apart.outcomes.get('post-idle-closed')?.reason ?? '', /no request met the fault/);
  // The second request uses the connection of the first, and curl repeats it on another.
  const common = await grade(curl(`CURL {url}/plants --next ${HEADERS} ${post}`, 2, done), 'post-idle-closed');
  assert.equal(common.outcomes.get('post-idle-closed')?.outcome, 'right');
});

test('a client that sends more requests than the service records gets no verdict', async () => {
  const post = `-X POST -d '{"id":12,"name":"Aloe vera","tag":"succulent"}' {url}/plants`;
  const another = post.replace('Aloe vera', 'Agave');
  const command = (gets: number) =>
    curl(`CURL ${post}; CURL '{url}/plants?limit=[1-${gets}]'; CURL ${another}`, 1, '"status":400');
  const few = await grade(command(20), 'post-reset-after');
  assert.equal(few.outcomes.get('post-reset-after')?.outcome, 'ghost');
  const many = await grade(command(100), 'post-reset-after');
  assert.equal(many.outcomes.get('post-reset-after')?.outcome, 'void');
  assert.match(many.outcomes.get('post-reset-after')?.reason ?? '', /sent more requests than the service records/);
});

const GET = 'curl -s {url}/plants/12 -H "Authorization: Bearer {token}"';

test('a wrong report is a problem beside its scenario', async () => {
  for (const [line, problem] of [
    ['nonsense', /^line 1 of the report: it is not valid JSON$/],
    ['[1]', /^line 1 of the report: .* must be an object$/],
    ['{"task":1,"status":"404"}', /^line 1 of the report: status must be an integer from 100 to 599/],
    ['{"task":1,"belief":"maybe"}', /^line 1 of the report: belief must be one of done, failed, unknown$/],
    ['{"task":2,"status":404}', /^the report has no line for task 1$/],
  ] as const) {
    // On a busy machine, a run that takes as long as an attempt gets no outcome.
    const command = ['sh', '-c', `${GET}; echo '${line}' > {report}`];
    const { outcomes } = await gradeWith(['--attempt-timeout', '25s'], command, 'get-404');
    assert.equal(outcomes.get('get-404')?.outcome, 'unknown');
    assert.match(outcomes.get('get-404')?.problem ?? '', problem);
  }
  const { outcomes } = await grade(['sh', '-c', `${GET}; exit 13`], 'get-404');
  assert.equal(outcomes.get('get-404')?.problem, 'it ended with exit code 13');
});

test('an id that was rounded beyond int64 is wrong data', async () => {
  const body = JSON.stringify('{"id":9223372036854776000,"name":"Sequoia"}');
  const command = curl('CURL {url}/plants/9223372036854775807', 1, `"status":200,"body":${body.replaceAll("'", '')}`);
  const { outcomes } = await grade(command, 'get-highest-id');
  assert.equal(outcomes.get('get-highest-id')?.outcome, 'wrong data');
});

test('a file that is no record stays, and no scenario is run', async () => {
  using directory = createDirectory();
  writeFileSync(directory.at('mine.json'), '{"mine":1}');
  const run = (json: string) =>
    runCommand(['grade', 'client', '--output', directory.at('output'), '--json', directory.at(json), '--', 'true']);
  refusedWith(await run('mine.json'), 1, /mine\.json already exists and was not changed/);
  assert.equal(readFileSync(directory.at('mine.json'), 'utf8'), '{"mine":1}');
  refusedWith(await run('nowhere/client.json'), 1, /no such folder: .*nowhere/);
  refusedWith(
    await run('mine.json/client.json'),
    1,
    /cannot write .*: a part of its path is a file, .* \(ENOTDIR\); correct the path\n/,
  );
  assert.equal(existsSync(directory.at('output')), false);
});

test('if the client removes the folder of --json, grade client prints the outcomes and then the error', async () => {
  using directory = createDirectory();
  mkdirSync(directory.at('records'));
  const files = ['--output', directory.at('output'), '--json', directory.at('records/client.json')];
  const removes = `rm -rf ${directory.at('records')}; ${GET}`;
  const args = ['grade', 'client', ...files, '--only', 'get-404', '--', 'sh', '-c', removes];
  const { code, stdout, stderr } = await runCommand(args);
  assert.equal(code, 1);
  assert.match(stdout, /^get-404 +unknown /m);
  assert.match(stderr, /cannot write .*client\.json: no such folder: /);
});

test('a command that cannot be started and an unknown scenario are refused', async () => {
  using directory = createDirectory();
  const output = ['--output', directory.at('output')];
  const run = (...args: readonly string[]) => runCommand(['grade', 'client', ...output, ...args]);
  refusedWith(await run('--only', 'get-404', '--', './nothing'), 2, /cannot be started: .\/nothing: no such program/);
  refusedWith(await run('--only', 'get-405', '--', 'true'), 2, /get-405: no such scenario \(did you mean get-404\?\)/);
  refusedWith(await run('--only', 'get-404,mine', '--', 'true'), 2, /--only mine: no such scenario; plantstore grade/);
  refusedWith(await run(), 2, /the command that runs the client is missing/);
});

test('a time-out of an attempt that a late or slow response does not reach is refused', async () => {
  const run = (scenario: string) =>
    runCommand(['grade', 'client', '--attempt-timeout', '2001ms', '--only', scenario, '--', './nothing']);
  const late = ['get-slow', 'get-late', 'post-late-before', 'post-late-after', 'post-late-write'];
  for (const name of [...late, 'put-if-match-late-before', 'put-if-match-late-after']) {
    refusedWith(await run(name), 2, new RegExp(`--attempt-timeout: it must be at most 2000 ms for ${name}; `));
  }
  refusedWith(await run('get-404'), 2, /cannot be started/);
});

test('each scenario has its own name, and pairs differ only in what the client cannot see', () => {
  assert.equal(new Set(SCENARIOS.map(({ name }) => name)).size, SCENARIOS.length);
  assert.ok(SCENARIOS.length >= 40);
  for (const [pair, some] of Map.groupBy(SCENARIOS, ({ pair }) => pair)) {
    if (pair !== undefined) assert.ok(some.length > 1, pair);
  }
});

const named = (name: string) => {
  const scenario = SCENARIOS.find((one) => one.name === name);
  if (scenario === undefined) throw new Error(name);
  return scenario;
};
const attempt = (part: Partial<Attempt>): Attempt => ({
  begins: 0,
  ends: 10,
  status: 200,
  body: '{}',
  hasFault: false,
  isAbandoned: false,
  isCarriedOut: true,
  retryAfter: undefined,
  ...part,
});
const belief = (of: Belief['of'], status?: number): Belief => ({
  of,
  status,
  plants: undefined,
  isMissing: false,
});

test('the 404 of a repeated DELETE is disputed, and the 412 of a repeated PUT is a ghost', () => {
  const scenario = named('delete-reset-after');
  const attempts = [attempt({ status: 204 }), attempt({ status: 404, isCarriedOut: false })];
  assert.equal(judge(scenario, belief('failed', 404), attempts, []), 'disputed');
  const put = named('put-if-match-reset-after');
  const tried = [attempt({}), attempt({ status: 412, isCarriedOut: false })];
  assert.equal(judge(put, belief('failed', 412), tried, [put.task.plant]), 'ghost');
});

test('a stored plant that nobody wrote is wrong data', () => {
  const scenario = named('put-reset-after');
  const stored = { ...scenario.task.plant, name: 'Agave?' };
  assert.equal(judge(scenario, belief('done', 200), [attempt({})], [stored]), 'wrong data');
});

test('a plant that is stored under a rounded id is wrong data', () => {
  const scenario = named('post-big-id');
  assert.equal(judge(scenario, belief('done', 200), [attempt({})], []), 'wrong data');
  assert.equal(judge(scenario, belief('done', 200), [attempt({})], [scenario.task.plant]), 'right');
});

test('a plant that a repetition stored under another id is wrong data', async () => {
  const post = (id: number) => `CURL -X POST -d '{"id":${id},"name":"Aloe vera","tag":"succulent"}' {url}/plants`;
  const done = '"status":200,"body":"{}"';
  const { outcomes } = await grade(curl(`${post(12)}; ${post(13)}`, 1, done), 'post-reset-after', 'post-reset-before');
  assert.equal(outcomes.get('post-reset-after')?.outcome, 'wrong data');
  const again = await grade(curl(`${post(12)}; ${post(12)}`, 1, done), 'post-reset-after');
  assert.equal(again.outcomes.get('post-reset-after')?.outcome, 'right');
});

test('a client that reports an error beside a success or plants does not believe the success', async () => {
  const page = curl('CURL {url}/plants', 1, '"error":"ECONNRESET","plants":[{"id":"1","name":"x"}]');
  assert.equal((await grade(page, 'list-cut')).outcomes.get('list-cut')?.outcome, 'unknown');
  const deleted = curl('CURL -X DELETE {url}/plants/12', 1, '"status":204,"error":"ECONNRESET"');
  assert.equal((await grade(deleted, 'delete-503-after')).outcomes.get('delete-503-after')?.outcome, 'unknown');
  const refused = curl('CURL {url}/plants/12', 1, '"status":404,"error":"Not Found"');
  assert.equal((await grade(refused, 'get-404')).outcomes.get('get-404')?.outcome, 'right');
});

test('an attempt before Retry-After has passed is early, and a repeated 400 is counted', () => {
  const waits = (pause: number) => [
    attempt({ status: 503, retryAfter: 1_000, isCarriedOut: false }),
    attempt({ begins: 10 + pause }),
  ];
  assert.deepEqual([conductOf(waits(940)).early, conductOf(waits(960)).early], [1, 0]);
  const repeats = [attempt({ status: 400, body: 'a' }), attempt({ status: 400, body: 'b' })];
  assert.deepEqual(conductOf(repeats), { attempts: 2, early: 0, repeatedFinal: 1, hasChangedBody: true });
});

test('the worst outcome of a pair counts', () => {
  assert.equal(worstOf(CLIENT_OUTCOMES, ['right', 'ghost']), 'ghost');
  assert.equal(worstOf(CLIENT_OUTCOMES, ['overwritten', 'lost']), 'overwritten');
  assert.equal(worstOf(CLIENT_OUTCOMES, ['right', 'right']), 'right');
});
