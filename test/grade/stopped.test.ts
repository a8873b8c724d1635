/** How a grading ends before its last run. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { DEFECTS } from '../../src/defects/index.ts';
import { planOf } from '../../src/grade/plan.ts';
import { PLANTSTORE } from '../harness/process.ts';
import { CREATE_AND_READ, eventually, isRunning, outcomes, place, prepare, write } from './grading.ts';

/** Works like the tester in the first four runs, and hangs in the fifth. */
const HANGS_LATER = `${CREATE_AND_READ}
echo x >> "$1"
[ $(wc -l < "$1") -lt 5 ] || { echo $$ {url} > "$1.hangs"; sleep 1000; }
`;

/** An order in which the last of the five runs is the one with `etag-missing`. */
function orderWithEtagLast(): string {
  const defects = DEFECTS.filter(({ name }) => ['etag-missing', 'location-missing'].includes(name));
  const last = (order: number) => planOf({ defects, controls: 3, seeds: 1, order }).at(-1)?.defect?.name;
  let order = 0;
  while (last(order) !== 'etag-missing') order++;
  return String(order);
}

/** Starts a grading and waits until its last run hangs. */
async function startHanging(name: string) {
  const runs = place.at(name);
  const options = ['--only', 'etag-missing,location-missing', '--jobs', '1', '--order', orderWithEtagLast()];
  const script = write(
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
  return { grading, child, said, pid, url };
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
    const next = prepare(['--only', 'etag-missing'], ['false']);
    await next.run(grading.env);
    assert.deepEqual(grading.leftovers(), []);
  } finally {
    process.kill(-Number(pid), 'SIGKILL');
  }
});

test('Ctrl-C ends all runs at the same time', async () => {
  const [first, hanging] = [place.at('first'), place.at('hanging')];
  const script = `${CREATE_AND_READ}
  mkdir ${first} && exit
  echo $$ $PLANTSTORE_URL >> ${hanging}; sleep 1000`;
  const grading = prepare(['--only', 'etag-missing', '--jobs', '3'], ['sh', write('many.sh', script)]);
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

test('the time-out ends a tester that hangs, with all processes that it started', async () => {
  const script = write('hangs.sh', 'sleep 1000 & echo $! $$; trap "" TERM; wait; wait; sleep 1000');
  const grading = prepare(['--only', 'etag-missing', '--timeout', '300ms'], ['sh', script]);
  const { code, stderr } = await grading.run();
  assert.equal(code, 1);
  assert.match(stderr, /the tester fails on the clean service, .*it was stopped by the time-out/);
  assert.equal(grading.record().runs[0].stoppedBy, 'timeout');
  const pids = grading.printed(null)[0]?.trim().split(' ') ?? [];
  assert.equal(pids.length, 2);
  await eventually(() => !pids.some(isRunning));
});
