/** How a grading ends before its last run. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { test } from 'node:test';
import { PLANTSTORE, refusedWith, runHere } from '../../../test/harness/process.ts';
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

for (const kind of ['grade', 'grade client', 'grade receiver']) {
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

test('the time-out ends a tester that hangs, with all processes that it started', async () => {
  const script = writeInPlace('hangs.sh', 'sleep 1000 & echo $! $$; trap "" TERM; wait; wait; sleep 1000');
  const grading = prepare([...QUICK, '--only', 'strong-etag-missing', '--timeout', '300ms'], ['sh', script]);
  const { code, stderr } = await grading.run();
  assert.equal(code, 1);
  assert.match(stderr, /the tester fails on the clean service, .*it was stopped by the time-out/);
  assert.equal(grading.record().runs[0].stoppedBy, 'timeout');
  const pids = grading.printed(null)[0]?.trim().split(' ') ?? [];
  assert.equal(pids.length, 2);
  await eventually(() => !pids.some(isRunning));
});
