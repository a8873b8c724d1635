/** How a grading ends before its last run. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { PLANTSTORE, refusedWith, runCommand, runHere } from '../../../test/harness/process.ts';
import { DEFECTS } from '../../defects/index.ts';
import { planOf } from '../../grade/plan.ts';
import {
  CREATE_AND_READ,
  eventually,
  isRunning,
  outcomes,
  place,
  prepare,
  QUICK,
  type Recorded,
  tester,
  writeInPlace,
} from '../grade/prepared-grading.ts';

/** Works like the tester, but hangs in the fifth run. */
const HANGS_LATER = `${CREATE_AND_READ}
echo x >> "$1"
[ $(wc -l < "$1") -ne 5 ] || { echo $$ {url} > "$1.hangs"; sleep 1000; }
`;

/** An order in which the last of the five runs is the one with `strong-etag-missing`. */
function orderWithEtagLast(): string {
  const defects = DEFECTS.filter(({ name }) => ['strong-etag-missing', 'location-missing'].includes(name));
  const last = (order: number) => planOf({ defects, controls: 3, seeds: 1, order }).at(-1)?.defect?.name;
  let order = 0;
  while (last(order) !== 'strong-etag-missing') order++;
  return String(order);
}

/** Starts a grading and waits until its last run hangs. */
async function startHanging(name: string, ...more: readonly string[]) {
  const runs = place.at(name);
  const only = [...QUICK, '--only', 'strong-etag-missing,location-missing'];
  const options = [...only, '--jobs', '1', '--order', orderWithEtagLast(), ...more];
  const script = writeInPlace(
    `${name}.sh`,
    HANGS_LATER.replace('{url}', '$PLANTSTORE_URL').replace("grep -i '^etag: '", 'cat'),
  );
  const grading = prepare(options, ['sh', script, runs]);
  const child = spawn(PLANTSTORE, grading.args, { env: { ...process.env, ...grading.env } });
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (said.stdout += chunk));
  child.stderr.on('data', (chunk) => (said.stderr += chunk));
  const hasHung = () => existsSync(`${runs}.hangs`) && readFileSync(`${runs}.hangs`, 'utf8').endsWith('\n');
  await eventually(hasHung, child);
  const [pid = '', url = ''] = readFileSync(`${runs}.hangs`, 'utf8').trim().split(' ');
  assert.ok(isRunning(pid));
  return { grading, child, said, pid, url, runs };
}

const isServed = (url: string) =>
  fetch(url).then(
    () => true,
    () => false,
  );

test('Ctrl-C ends the tester, prints the score so far, and leaves no process and no temporary folder', async () => {
  const { grading, child, said, pid, url } = await startHanging('stopped');
  child.kill('SIGINT');
  const [code] = await once(child, 'close');
  assert.equal(code, 1, said.stderr);
  assert.match(said.stdout, /^Stopped: 1 of 2 defects were graded\.$/m);
  assert.match(said.stdout, /^The same command with --resume does the missing runs\.$/m);
  assert.match(said.stdout, /^Missed[^\n]*:\n {2}location-missing {2}/m);
  assert.deepEqual(outcomes(grading.record()), { 'location-missing': 'missed' });
  await eventually(() => !isRunning(pid));
  assert.equal(await isServed(url), false);
  assert.deepEqual(grading.leftovers(), []);
});

test('a killed grading leaves no service, and the next one deletes its folder', async () => {
  const { grading, child, pid, url } = await startHanging('killed');
  assert.ok(await isServed(url));
  child.kill('SIGKILL');
  await once(child, 'close');
  try {
    await eventually(async () => !(await isServed(url)));
    assert.equal(grading.leftovers().length, 1);
    const next = prepare(['--only', 'strong-etag-missing'], ['false']);
    await next.run(grading.env);
    assert.deepEqual(grading.leftovers(), []);
  } finally {
    process.kill(-Number(pid), 'SIGKILL');
  }
});

test('with --resume a killed grading keeps its runs, and the same command does only the missing ones', async () => {
  const { grading, child, pid, runs } = await startHanging('resumed', '--resume');
  child.kill('SIGKILL');
  await once(child, 'close');
  process.kill(-Number(pid), 'SIGKILL');
  const before = grading.record();
  assert.deepEqual([before.halt, before.runs.length], ['stopped', 4]);
  const { code, stdout, stderr } = await grading.run();
  assert.equal(code, 0, stderr);
  assert.match(stderr, /^5 of 5: run-0\d, 2 requests, /);
  assert.match(stdout, /^Missed[^\n]*:\n {2}location-missing {2}[^\n]*\n {2}strong-etag-missing {2}/m);
  const { halt, startedAt, runs: all } = grading.record();
  assert.deepEqual([halt, startedAt, all.length], [null, before.startedAt, 5]);
  const kept = (runs: readonly Recorded[]) => new Map(runs.map((run) => [run.name, run]));
  assert.deepEqual(kept(all.filter(({ defect }: Recorded) => defect !== 'strong-etag-missing')), kept(before.runs));
  assert.equal(grading.printed(null).length, 3);
  // Five runs, and the one that was killed.
  assert.equal(readFileSync(runs, 'utf8').length, 12);
  assert.ok(stdout.endsWith(`What the tester printed is in ${grading.output}, one file per run.\n`), stdout);
});

test('a grading that was continued with another folder names the folders of all runs', async () => {
  const { grading, child } = await startHanging('moved');
  child.kill('SIGINT');
  await once(child, 'close');
  const other = place.at('other-output');
  const args = grading.args.map((arg) => (arg === grading.output ? other : arg));
  const { code, stdout, stderr } = await runCommand([...args.slice(0, 1), '--resume', ...args.slice(1)], grading.env);
  assert.equal(code, 0, stderr);
  const folders = `${grading.output} and ${other}`;
  assert.ok(stdout.endsWith(`What the tester printed is in ${folders}, one file per run.\n`), stdout);
});

test('without --resume no file has a run before the end, and --resume refuses another grading', async () => {
  const { grading, child, pid } = await startHanging('secret');
  assert.throws(() => grading.record(), { code: 'ENOENT' });
  child.kill('SIGINT');
  await once(child, 'close');
  assert.ok(!isRunning(pid));
  const [command, ...args] = grading.args;
  for (const [more, why] of [
    [['--seeds', '2'], /it has another --seeds; give --json a new file/],
    [['--controls', '4'], /it has another --controls; give --json a new file/],
    [['--timeout', '1s'], /it has another --timeout; give --json a new file/],
    [['--only', 'strong-etag-missing,replace-creates'], /it has other defects; give --json a new file/],
  ] as const) {
    const words = args.indexOf('--');
    const changed = [command ?? '', ...args.slice(0, words), ...more, '--resume', ...args.slice(words)];
    refusedWith(await runHere(changed, grading.env), 1, why);
  }
  refusedWith(await runHere(['grade', '--resume', '--', 'true'], grading.env), 2, /--resume needs --json/);
});

test('--resume begins again if the earlier grading gave no score, since the tester was changed meanwhile', async () => {
  const report = '"$PLANTSTORE_REPORT"';
  for (const [halt, wrong, ...options] of [
    ['clean service fails', 'exit 1'],
    ['no report', CREATE_AND_READ, '--findings', 'junit'],
    ['floor', `echo '<testsuite/>' > ${report}`, '--findings', 'junit'],
  ] as const) {
    const script = writeInPlace('changed.sh', wrong);
    const only = ['--only', 'strong-etag-missing', '--resume', ...options];
    const grading = prepare([...QUICK, ...only], ['sh', script]);
    assert.equal((await grading.run()).code, 1);
    assert.equal(grading.record().halt, halt);
    writeInPlace('changed.sh', `echo '<testsuite/>' > ${report}${CREATE_AND_READ}`);
    const { code, stderr } = await grading.run();
    assert.equal(code, 0, stderr);
    assert.equal(grading.record().halt, null);
    assert.equal(grading.printed(null).length, 3);
  }
});

test('--resume refuses a grading with other plants, which the result names', async () => {
  const plants = writeInPlace('resumed-plants.ndjson', '{"id":12,"name":"Aloe vera"}\n');
  const grading = prepare(['--only', 'location-missing', '--plants', plants], tester);
  assert.equal((await grading.run()).code, 0);
  assert.equal(grading.record().options.plants, plants);
  const [command = '', ...args] = grading.args.filter((arg) => arg !== '--plants' && arg !== plants);
  refusedWith(await runHere([command, '--resume', ...args], grading.env), 1, /: it has another --plants; give --json/);
});

test('Ctrl-C ends all runs at the same time', async () => {
  const [first, hanging] = [place.at('first'), place.at('hanging')];
  const script = `${CREATE_AND_READ}
  mkdir ${first} && exit
  echo $$ $PLANTSTORE_URL >> ${hanging}; sleep 1000`;
  const grading = prepare(
    [...QUICK, '--only', 'strong-etag-missing', '--jobs', '3'],
    ['sh', writeInPlace('many.sh', script)],
  );
  const child = spawn(PLANTSTORE, grading.args, { env: { ...process.env, ...grading.env }, stdio: 'ignore' });
  const lines = () => (existsSync(hanging) ? readFileSync(hanging, 'utf8').trim().split('\n') : []);
  await eventually(() => lines().length === 2, child);
  child.kill('SIGINT');
  await once(child, 'close');
  for (const line of lines()) {
    const [pid = '', url = ''] = line.split(' ');
    await eventually(() => !isRunning(pid));
    assert.equal(await isServed(url), false);
  }
  assert.deepEqual(grading.leftovers(), []);
});

for (const [kind, ...options] of [['grade', ...QUICK], ['grade client'], ['grade receiver']] as const) {
  /** The words of a grading whose command writes its process id to a file and then waits. */
  const waiting = (file: string, ...more: readonly string[]) => {
    const script = 'echo $$ > "$0"; exec sleep 1000';
    return [...kind.split(' '), ...options, ...more, '--', 'sh', '-c', script, file];
  };
  const hasBegun = (file: string) => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n');

  test(`Ctrl-C before the end of the first run keeps an earlier file of --json: ${kind}`, async () => {
    const [json, began, output] = ['json', 'began', 'output'].map((name) => place.at(`earlier-${name}-${kind}`));
    assert.ok(json !== undefined && began !== undefined && output !== undefined);
    const earlier = `{\n  "${kind === 'grade' ? 'plantStoreGrading": "1.0.0"' : 'form": 1'}\n}\n`;
    writeFileSync(json, earlier);
    const child = spawn(PLANTSTORE, waiting(began, '--json', json, '--output', output));
    const said = { stdout: '', stderr: '' };
    child.stdout.on('data', (chunk) => (said.stdout += chunk));
    child.stderr.on('data', (chunk) => (said.stderr += chunk));
    await eventually(() => hasBegun(began), child);
    child.kill('SIGINT');
    const [code] = await once(child, 'close');
    refusedWith({ code, ...said }, 1, /stopped before the end of the first (?:run|scenario)\n$/);
    assert.equal(readFileSync(json, 'utf8'), earlier);
  });

  test(`no two gradings use one output folder at the same time, and a killed one frees it: ${kind}`, async () => {
    const [output, began] = [place.at(`shared-${kind}`), place.at(`shared-began-${kind}`)];
    const child = spawn(PLANTSTORE, waiting(began, '--output', output), { stdio: 'ignore' });
    await eventually(() => hasBegun(began), child);
    const before = readdirSync(output, { recursive: true });
    const other = [...kind.split(' '), ...options, '--output', output, '--', 'false'];
    refusedWith(await runHere(other), 1, /: another grading uses the folder [^\n]+; choose another --output\n$/);
    assert.deepEqual(readdirSync(output, { recursive: true }), before);
    child.kill('SIGKILL');
    await once(child, 'close');
    process.kill(Number(readFileSync(began, 'utf8')), 'SIGKILL');
    const { code, stderr } = await runCommand(other);
    assert.equal(code, 1);
    assert.match(stderr, /it ended with exit code 1/);
    assert.deepEqual(
      readdirSync(output).filter((name) => name.includes('lock')),
      [],
    );
  });

  test(`Ctrl-C ends a command that waits for a pipe, before it made anything: ${kind}`, async () => {
    const pipe = place.at(`pipe-${kind}`);
    spawnSync('mkfifo', [pipe]);
    const output = place.at(`none-${kind}`);
    const child = spawn(PLANTSTORE, [...kind.split(' '), '--baseline', pipe, '--output', output, '--', 'true']);
    // Opens when the command reads it.
    const writer = await open(pipe, 'w');
    child.kill('SIGINT');
    assert.deepEqual(await once(child, 'close'), [null, 'SIGINT']);
    await writer.close();
    assert.equal(existsSync(output), false);
  });
}

const ADAPTER = fileURLToPath(new URL('../../clients/careful-typescript/adapter.ts', import.meta.url));
const RECEIVER = fileURLToPath(new URL('../../../examples/receivers/careful.ts', import.meta.url));
for (const [kind, work, ...options] of [
  ['grade', CREATE_AND_READ, ...QUICK, '--only', 'location-missing'],
  ['grade client', `exec '${process.execPath}' '${ADAPTER}'`, '--only', 'get-404,delete-404'],
  [
    'grade receiver',
    `PORT=$PLANTSTORE_PORT WEBHOOK_SECRET=$PLANTSTORE_SECRET EVENTS=$PLANTSTORE_REPORT
    export PORT WEBHOOK_SECRET EVENTS; exec '${process.execPath}' '${RECEIVER}'`,
    ...['--only', 'right,unsigned'],
  ],
] as const) {
  test(`a command that cannot be started any more loses no earlier run: ${kind}`, async () => {
    const cwd = place.at(`once-${kind}`);
    mkdirSync(cwd);
    writeFileSync(`${cwd}/once`, `#!/bin/sh\nrm "$0"\n${work}`, { mode: 0o755 });
    const words = [...kind.split(' '), ...options, '--jobs', '1', '--json', 'json', '--', './once'];
    const { code, stderr } = await runCommand(words, {}, { command: [PLANTSTORE], cwd });
    assert.equal(code, 2, stderr);
    assert.match(stderr, /^plantstore: the command cannot be started: \.\/once: no such program$/m);
    const { runs, outcomes } = JSON.parse(readFileSync(`${cwd}/json`, 'utf8'));
    assert.equal((runs ?? outcomes).length, 1);
    const output = readdirSync(cwd).find((name) => name.startsWith('plantstore-')) ?? '';
    assert.ok(existsSync(`${cwd}/${output}/${runs?.[0].name ?? outcomes[0].scenario}${runs ? '.txt' : ''}`));
  });
}

test('the time-out ends a tester that hangs, with all processes that it started', async () => {
  const script = writeInPlace('hangs.sh', 'sleep 1000 & echo $! $$; trap "" TERM; wait; wait; sleep 1000');
  const grading = prepare([...QUICK, '--only', 'strong-etag-missing', '--timeout', '300ms'], ['sh', script]);
  const { code, stderr } = await grading.run();
  assert.equal(code, 1);
  assert.match(stderr, /the tester fails on the clean service: .*it was stopped by the time-out/);
  assert.equal(grading.record().runs[0].stoppedBy, 'timeout');
  const pids = grading.printed(null)[0]?.trim().split(' ') ?? [];
  assert.equal(pids.length, 2);
  await eventually(() => !pids.some(isRunning));
});
