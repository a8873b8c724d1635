/** What `plantstore grade client` shows of each outcome, and what CI jobs can demand of a client. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createDirectory } from '../../../test/harness/directory.ts';
import { refusedWith, runCommand, runHere } from '../../../test/harness/process.ts';
import { CLIENT, pageOf, RECEIVER } from '../../commands/candidates.ts';
import { type Demands, isWorse, unmetDemands } from '../../commands/scenario-demands.ts';
import { SCENARIOS } from '../../grade/client/scenarios.ts';
import { CLIENT_MEANINGS } from '../../util/meanings.ts';

const directory = createDirectory();
after(() => directory[Symbol.dispose]());
const adapter = (name: string) => fileURLToPath(new URL(`../../clients/${name}/adapter.ts`, import.meta.url));

/** Grades a client of this project. The files of the scenarios are in the folder with this name. */
const grade = (name: string, ...options: readonly string[]) => {
  const output = ['--output', directory.at(name)];
  return runCommand(['grade', 'client', ...output, ...options, '--', process.execPath, adapter(name)]);
};
const NAMES = ['post-reset-after', 'get-404', 'get-big-id'];
const [careful, careless] = [directory.at('careful.json'), directory.at('careless.json')];

test('the output explains each outcome but right, and the folder of a scenario has what the service saw', async () => {
  const only = ['--only', ...NAMES];
  const { code, stdout } = await grade('careless', '--json', careless, ...only, '--fail-on', 'ghost,wrong-data');
  assert.equal(code, 3);
  const text = stdout.replaceAll(/\n +/g, ' ');
  for (const outcome of ['ghost', 'wrong data'] as const) {
    assert.ok(text.includes(`${CLIENT_MEANINGS[outcome]}.`), stdout);
  }
  const address = `http://127.0.0.1:8080${pageOf(CLIENT)}#outcomes`;
  assert.ok(stdout.replaceAll('\n', ' ').includes(`run bin/plantstore serve --demo and open ${address}.`), stdout);
  assert.match(stdout, /^The outcome ghost is not allowed: post-reset-after\.$/m);
  assert.match(stdout, /^The outcome wrong data is not allowed: get-404, get-big-id\.$/m);
  const view = readFileSync(directory.at('careless/post-reset-after/service.json'), 'utf8');
  const { faults, requests, stored, belief } = JSON.parse(view);
  assert.deepEqual(
    [faults[0].fault.kind, requests[0].method, requests[0].fault],
    ['reset', 'POST', 'reset, after commit'],
  );
  assert.deepEqual([stored, belief], [[{ id: 12, name: 'Aloe vera', tag: 'succulent' }], 'failed']);
  assert.doesNotMatch(view, /pss_/);
  const big = readFileSync(directory.at('careless/get-big-id/service.json'), 'utf8');
  assert.match(big, /"id": 9007199254740993,/);
});

test('--baseline fails if an outcome is worse than before, and notes what differs', async () => {
  const better = await grade('careful-typescript', '--json', careful, '--only', ...NAMES, '--baseline', careless);
  assert.equal(better.code, 0, better.stdout);
  const worse = await grade('careless', '--only', 'get-404', 'get-big-id', '--baseline', careful);
  assert.equal(worse.code, 3);
  const table = /^Worse than the baseline:\n\nSCENARIO.*\nget-404 +right +wrong data\nget-big-id +right +wrong data$/m;
  assert.match(worse.stdout, table);
  assert.match(worse.stdout, /^Baseline: Only the scenarios that both gradings contain are compared\.$/m);
  const apart = await grade('careless', '--only', 'pages', '--baseline', careful);
  refusedWith(apart, 2, /--baseline: the result has none of the scenarios that are run now/);
});

test('a demand that cannot be read is refused before anything runs', async () => {
  const run = (...options: readonly string[]) => runHere(['grade', 'client', ...options, '--', 'true']);
  refusedWith(
    await run('--fail-on', 'gost'),
    2,
    /--fail-on: it must be some of unknown, disputed, wrong-data, ghost, /,
  );
  refusedWith(await run('--fail-on', 'right'), 2, /--fail-on: it must be some of /);
  refusedWith(await run('--baseline', directory.at('none.json')), 1, /none\.json/);
  refusedWith(await run('--baseline', adapter('careless')), 1, /is not a result of plantstore grade client --json: it/);
});

test('a command without -- is refused with the place of --, also after --only', async () => {
  for (const kind of ['client', 'receiver']) {
    const done = await runHere(['grade', kind, '--only', 'get-404', 'python3', 'my.py']);
    const example = new RegExp(`is missing: put it after --, as in plantstore grade ${kind} -- my-${kind}$`, 'm');
    refusedWith(done, 2, example);
  }
});

test('--list prints each scenario with a sentence, and needs no command', async () => {
  const { code, stdout } = await runHere(['grade', 'client', '--list']);
  assert.equal(code, 0);
  const lines = stdout.trimEnd().split('\n').slice(1);
  assert.equal(lines.filter((line) => !line.startsWith(' ')).length, SCENARIOS.length);
  for (const { name, does } of SCENARIOS) assert.ok(stdout.includes(name) && stdout.includes(does.slice(0, 40)), name);
  const some = await runHere(['grade', 'client', '--list', '--only', 'get-404']);
  assert.match(some.stdout, /^SCENARIO .*\nget-404 +There is no such plant\.\n$/);
});

test('each outcome has a section in the page that the output names', () => {
  for (const candidate of [CLIENT, RECEIVER]) {
    const page = readFileSync(`docs${pageOf(candidate).replace('/guide', '')}.md`, 'utf8');
    assert.match(page, /^<!-- guide: .*^## Outcomes$/ms);
    for (const outcome of [...candidate.outcomes, 'void']) {
      const heading = `${outcome[0]?.toUpperCase()}${outcome.slice(1)}`;
      assert.match(page, new RegExp(`^### ${heading}$`, 'm'));
    }
  }
});

test('a receiver must be verified everywhere, unless the user demands something else', () => {
  const unmet = (outcome: string, demands: Partial<Demands> = {}) =>
    unmetDemands(RECEIVER, [{ scenario: 'one', outcome }], { failOn: undefined, baseline: undefined, ...demands }, 100)
      .isUnmet;
  assert.deepEqual([unmet('verified'), unmet('ignored'), unmet('void')], [false, true, true]);
  const failOn = ['accepted a forgery'];
  assert.deepEqual([unmet('accepted a forgery', { failOn }), unmet('lost', { failOn })], [true, false]);
});

test('a placeholder that is mistyped, or replaced by a fixed port, is refused before anything runs', async () => {
  const run = (...command: readonly string[]) => runHere(['grade', 'receiver', '--', ...command]);
  refusedWith(await run('env', 'PORT={prot}', 'true'), 2, /no such placeholder: \{prot\}; write \{port\}/);
  refusedWith(await run('env', 'KEY={SECRET}', 'true'), 2, /no such placeholder: \{SECRET\}; write \{secret\}/);
  const fixed = /each scenario has its own port, so the receiver cannot listen on \d+; write \{port\}/;
  const commands = ['env PORT=8080 true', 'true run --port 5000', 'true --bind 127.0.0.1:8000', 'true runserver 8000'];
  for (const command of commands) refusedWith(await run(...command.split(' ')), 2, fixed);
});

test('a void outcome is neither better nor worse', () => {
  assert.deepEqual(
    [isWorse(CLIENT, 'void', 'right'), isWorse(CLIENT, 'ghost', 'void'), isWorse(CLIENT, 'ghost', 'unknown')],
    [false, false, true],
  );
});
