/** What surrounds the tester in each run: its folder, its report, the limits, and the runs at the same time. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { PLANTSTORE, refusedWith, runCommand, runHere } from '../../../test/harness/process.ts';
import {
  CREATE_AND_READ,
  isRunning,
  outcomes,
  place,
  prepare,
  QUICK,
  type Recorded,
  tester,
  writeInPlace,
} from '../grade/prepared-grading.ts';

const NO_FILES = { 'a FIFO': 'mkfifo', 'a folder': 'mkdir', 'a link to a device': 'ln -s /dev/zero' };
for (const [what, make] of Object.entries(NO_FILES)) {
  test(`${what} at {report} is no report`, async () => {
    const { code, stderr } = await prepare([...QUICK, '--findings', 'junit'], ['sh', '-c', `${make} {report}`]).run();
    assert.equal(code, 1);
    assert.match(stderr, /wrote no readable report to \{report\}: it is not a file; its output is in /);
  });
}

for (const command of ['grade -- true', 'grade -- sh tester.sh', 'grade client -- true', 'grade receiver -- true']) {
  test(`in a deleted folder the command fails with one line: ${command}`, async () => {
    const script = `mkdir "$0" && cd "$0" && rmdir "$0" && "$1" ${command}`;
    const words = ['-c', script, place.at('deleted'), PLANTSTORE];
    const { status, stdout, stderr } = spawnSync('sh', words, { encoding: 'utf8' });
    const lines = stderr.split('\n').filter((line) => !line.startsWith('sh: ') && line !== '');
    assert.deepEqual([status, stdout], [1, '']);
    assert.deepEqual(lines, ['plantstore: the current folder was deleted; change to another folder']);
  });
}

for (const option of ['--json', '--html']) {
  test(`a file of ${option} that cannot be written is refused before the first run`, async () => {
    const folder = place.at(`folder${option}`);
    mkdirSync(folder);
    for (const [path, why] of [
      [folder, `${folder} already exists and was not changed; choose another name`],
      [`${folder}/absent/file`, `cannot write .*: no such folder: ${folder}/absent; create it first`],
      [
        '/dev/null/file',
        'cannot write /dev/null/file: a part of its path is a file, .* \\(ENOTDIR\\); correct the path',
      ],
    ] as const) {
      const args = ['grade', '--output', place.at('none'), option, path, '--', 'true'];
      refusedWith(await runHere(args), 1, new RegExp(`^plantstore: ${why}\n$`));
      assert.equal(existsSync(place.at('none')), false);
    }
    assert.deepEqual(readdirSync(folder), []);
  });

  test(`if the tester removes the folder of ${option}, grade prints the score and then the error`, async () => {
    const folder = place.at(`removed${option}`);
    mkdirSync(folder);
    const script = writeInPlace(`removes${option}.sh`, `${CREATE_AND_READ}\nrm -rf ${folder}`);
    const only = [...QUICK, '--only', 'location-missing'];
    const options = [...only, '--output', place.at(`output${option}`), option, `${folder}/file`];
    const { code, stdout, stderr } = await runCommand(['grade', ...options, '--', 'sh', script]);
    assert.equal(code, 1);
    assert.match(stdout, /^Missed[^\n]*:\n {2}location-missing {2}/m);
    assert.match(stderr, /^plantstore: cannot write .*: no such folder: /m);
  });
}

test('a tester that deletes the output folder ends grading with one line', async () => {
  const script = writeInPlace('deletes.sh', `${CREATE_AND_READ}\nrm -r "$(dirname "$PWD")"`);
  const { code, stderr } = await prepare(
    [...QUICK, '--only', 'strong-etag-missing', '--jobs', '1'],
    ['sh', script],
  ).run();
  assert.equal(code, 1);
  assert.match(stderr, /^plantstore: cannot write .*run-0\d\.txt: no such folder: /m);
  assert.doesNotMatch(stderr, /^ {4}at /m);
});

test('each run begins in an empty folder, also if an earlier grading used the same output folder', async () => {
  const script = `[ -z "$(ls -A)" ] || exit 1; touch left; ${CREATE_AND_READ}`;
  const grading = prepare([...QUICK, '--only', 'location-missing'], ['sh', '-c', script]);
  assert.equal((await grading.run()).code, 0);
  const { code, stderr } = await grading.run();
  assert.equal(code, 0, stderr);
  assert.deepEqual(outcomes(grading.record()), { 'location-missing': 'missed' });
  assert.ok(existsSync(`${grading.output}/run-01/left`));
  // The control: without the empty folder the second run would fail.
  const shared = await prepare(
    [...QUICK, '--only', 'location-missing'],
    ['sh', '-c', `cd ${place.path}; ${script}`],
  ).run();
  assert.match(shared.stderr, /the tester fails on the clean service/);
});

test('an output folder keeps no run of an earlier grading, and every other file', async () => {
  const both = 'strong-etag-missing,location-missing';
  const grading = prepare([...QUICK, '--only', both], ['sh', '-c', `touch left; ${CREATE_AND_READ}`]);
  await grading.run();
  const before = readdirSync(grading.output);
  assert.ok(before.includes('run-05') && before.includes('run-05.txt'), before.join());
  const own = ['notes.txt', 'run-05.csv', 'run-5.txt'];
  for (const name of own) writeFileSync(`${grading.output}/${name}`, '');
  const fewer = grading.args.map((word) => (word === both ? 'strong-etag-missing' : word));
  const { code, stderr } = await runCommand(fewer, grading.env);
  assert.equal(code, 0, stderr);
  const kept = before.filter((name) => !name.startsWith('run-05'));
  assert.deepEqual(readdirSync(grading.output).sort(), [...kept, ...own].sort());
});

for (const [kind, ...words] of [
  ['grade', 'grade', ...QUICK],
  ['client', 'grade', 'client', '--only', 'get-404'],
  ['receiver', 'grade', 'receiver', '--only', 'right'],
] as const) {
  test(`each grading has a new output folder, also if two begin in the same second: ${kind}`, async () => {
    const cwd = place.at(`same-second-${kind}`);
    mkdirSync(cwd);
    const now = Date.now();
    const taken = Array.from({ length: 60 }, (_, i) => {
      return `plantstore-${kind}-${new Date(now + i * 1_000).toISOString().slice(0, 19).replaceAll(':', '-')}`;
    });
    for (const name of taken) mkdirSync(`${cwd}/${name}`);
    const { code, stderr } = await runCommand([...words, '--', 'false'], {}, { command: [PLANTSTORE], cwd });
    assert.equal(code, 1, stderr);
    const [made = '', ...others] = readdirSync(cwd).filter((name) => !taken.includes(name));
    assert.match(made, /^plantstore-\w+-[\dT-]{19}-2$/);
    assert.ok(readdirSync(`${cwd}/${made}`).length > 0);
    assert.deepEqual([others, taken.flatMap((name) => readdirSync(`${cwd}/${name}`))], [[], []]);
  });
}

test('an output folder that cannot be made ends grading with one line', async () => {
  for (const output of ['/proc/none', '/proc/none/below', '/dev/null', '/dev/null/below']) {
    refusedWith(await runHere(['grade', '--output', output, '--', 'true']), 1, new RegExp(`: .*${output}`));
  }
});

test('a program with a slash is looked up from the current folder', async () => {
  const script = writeInPlace('here.sh', `#!/bin/sh\n${CREATE_AND_READ}`);
  chmodSync(script, 0o755);
  const grading = prepare([...QUICK, '--only', 'strong-etag-missing'], ['./here.sh']);
  const { code, stderr } = await runCommand(grading.args, grading.env, { command: [PLANTSTORE], cwd: place.path });
  assert.equal(code, 0, stderr);
});

test('the temporary folder may have a path that begins in the current folder', async () => {
  const grading = prepare(['--only', 'strong-etag-missing'], tester);
  const program = { command: [PLANTSTORE], cwd: place.path } as const;
  const { code, stderr } = await runCommand(grading.args, { TMPDIR: '.' }, program);
  assert.equal(code, 0, stderr);
});

test("NODE_OPTIONS may load a module of the current folder, as Yarn's Plug'n'Play needs", async () => {
  const loaded = `${place.path}/loaded`;
  writeInPlace('preload.cjs', "if (process.argv.includes('serve')) require('fs').writeFileSync('loaded', '');");
  const grading = prepare(['--only', 'strong-etag-missing'], tester);
  const program = { command: [PLANTSTORE], cwd: place.path } as const;
  const { code, stderr } = await runCommand(grading.args, { NODE_OPTIONS: '--require ./preload.cjs' }, program);
  assert.equal(code, 0, stderr);
  assert.ok(existsSync(loaded));
});

test('output beyond --max-output is left out', async () => {
  const prints = '{ curl -s {url}/plants -H "Authorization: Bearer {token}"; } > /dev/null; yes | head -c 10000';
  const printedWith = async (...options: readonly string[]) => {
    const grading = prepare(
      [...QUICK, '--only', 'strong-etag-missing', ...options],
      ['sh', '-c', `${prints}; yes n | head -c 10000 >&2`],
    );
    await grading.run();
    return grading.printed(null)[0] ?? '';
  };
  assert.equal((await printedWith()).length, 20_000);
  const cut = await printedWith('--max-output', '1KiB');
  assert.equal(cut.slice(1_024), '\n[plantstore: 18976 more bytes were left out]\n');
});

test('a report beyond --max-report is not read', async () => {
  const writes = `${CREATE_AND_READ}\nprintf '<testsuite>%1000s</testsuite>' > "$PLANTSTORE_REPORT"`;
  const gradedWith = (...options: readonly string[]) =>
    prepare([...QUICK, '--only', 'location-missing', '--findings', 'junit', ...options], ['sh', '-c', writes]).run();
  assert.equal((await gradedWith()).code, 0);
  const { code, stderr } = await gradedWith('--max-report', '1000');
  assert.equal(code, 1);
  assert.match(stderr, /no readable report to .*: it has more than 1000 bytes; --max-report allows a longer one;/);
});

for (const [kind, ...words] of [
  ['grade', ...QUICK, '--jobs', '1'],
  ['grade client', '--only', 'get-404'],
  ['grade receiver', '--only', 'right'],
]) {
  test(`a printed text that cannot be written ends the command and the grading: ${kind}`, async () => {
    const limited = { command: ['sh', '-c', 'ulimit -f 512; exec "$0" "$@"', PLANTSTORE] } as const;
    const pid = place.at(`pid-${kind}`);
    const prints = ['sh', '-c', 'echo $$ > "$0"; yes | head -c 3000000; sleep 1000', pid];
    const output = ['--output', place.at(`printed-${kind}`)];
    const args = [...(kind ?? '').split(' '), ...words, ...output, '--', ...prints];
    const { code, stderr } = await runCommand(args, {}, limited);
    assert.equal(code, 1);
    assert.match(stderr, /^plantstore: cannot write .*\.txt: the file is larger than this process may write .*\n$/m);
    assert.doesNotMatch(stderr, /^ {4}at /m);
    assert.equal(isRunning(readFileSync(pid, 'utf8').trim()), false);
  });
}

for (const kind of ['client', 'receiver']) {
  test(`a service of the grader that fails ends the grading with one line: ${kind}`, async () => {
    const args = ['grade', kind, '--output', place.at(`failing-${kind}`), '--', 'true'];
    // Its responses have longer header fields.
    const done = await runCommand(args, { NODE_OPTIONS: '--max-http-header-size=100' });
    refusedWith(done, 1, /: the service of the grading failed: POST \/sandboxes: Headers Overflow Error\n$/);
  });
}

test('--max-requests ends a tester as the time-out does', async () => {
  const script = writeInPlace('never-ends.sh', 'while :; do curl -s "$PLANTSTORE_URL/plants"; done');
  const grading = prepare([...QUICK, '--only', 'strong-etag-missing', '--max-requests', '20'], ['sh', script]);
  const { code, stderr } = await grading.run();
  assert.equal(code, 1);
  assert.match(stderr, /the tester fails on the clean service: .*it was stopped by --max-requests/);
  const [{ stoppedBy, counts }] = grading.record().runs;
  assert.equal(stoppedBy, 'max-requests');
  assert.ok(counts.requests > 20, String(counts.requests));
});

test('the record has when the defect first showed, and the statuses that each operation returned', async () => {
  const again = 'curl -sf "$PLANTSTORE_URL/plants/12" -H "Authorization: Bearer $PLANTSTORE_TOKEN"; true';
  const script = writeInPlace('again.sh', CREATE_AND_READ.replace("| grep -i '^etag: '", `\n${again}`));
  const grading = prepare(['--only', 'strong-etag-missing,replace-creates'], ['sh', script]);
  await grading.run();
  const ofRun = (defect: string | null) => grading.record().runs.find((run: Recorded) => run.defect === defect).counts;
  const reached = ['createPlant 200', 'getPlant 200'];
  assert.deepEqual([ofRun(null).first, ofRun(null).reached], [undefined, reached]);
  const { first, triggered } = ofRun('strong-etag-missing');
  assert.deepEqual([first.requests, triggered], [2, 2]);
  assert.ok(first.milliseconds >= 0);
  assert.equal(ofRun('replace-creates').first, undefined);
});

test('runs at the same time have the same outcomes as runs one after another', async () => {
  const outcomesWith = async (jobs: string) => {
    const options = [...QUICK, '--only', 'strong-etag-missing,location-missing,replace-creates', '--jobs', jobs];
    const grading = prepare(options, tester);
    const { code, stderr } = await grading.run();
    assert.equal(code, 0, stderr);
    return [outcomes(grading.record()), grading.record().runs.map(({ defect }: Recorded) => defect)];
  };
  assert.deepEqual(await outcomesWith('4'), await outcomesWith('1'));
});
