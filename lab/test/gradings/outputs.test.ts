/** Where the outputs of the grader's commands may go, by the same rule as those of the service's commands. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createDirectory } from '../../../test/harness/directory.ts';
import { PLANTSTORE, refusedWith, runCommand } from '../../../test/harness/process.ts';
import { QUICK, tester } from '../grade/prepared-grading.ts';

const [program, script] = tester;
const GRADE = `grade ${QUICK.join(' ')} --only strong-etag-missing --output out`;
const CLIENT = 'grade client --only post-reset-after --output out';
const ADAPTER = fileURLToPath(new URL('../../clients/careful-typescript/adapter.ts', import.meta.url));
const client = `'${process.execPath}' '${ADAPTER}'`;

/** Runs `plantstore` as a shell does, in a folder of its own. */
const shellIn = (cwd: string) => (how: string) =>
  runCommand([], {}, { command: ['bash', '-c', `plantstore() { "$0" "$@"; }; ${how}`, PLANTSTORE], cwd });

describe('an output of the grader', { skip: process.platform === 'win32', timeout: 120_000 }, () => {
  for (const [what, how, beginning] of [
    ['grade --json -', `${GRADE} --json - -- ${program} ${script} 2>messages`, '{\n  "plantStoreGrading": "'],
    ['grade --json /dev/stdout', `${GRADE} --json /dev/stdout -- ${program} ${script} 2>messages`, '{\n  "plantSt'],
    ['grade --html -', `${GRADE} --html - -- ${program} ${script} 2>messages`, '<!doctype html>'],
    [
      'grade --html to a process',
      `${GRADE} --html >(cat) -- ${program} ${script} 2>&1 >messages | cat`,
      '<!doctype html>',
    ],
    ['grade client --json -', `${CLIENT} --json - -- ${client} 2>messages`, '{\n  "form": '],
  ] as const) {
    test(`goes to standard output or a pipe, and the score beside it: ${what}`, async () => {
      using directory = createDirectory();
      const { stdout, stderr } = await shellIn(directory.path)(`plantstore ${how}`);
      assert.ok(stdout.toLowerCase().includes(beginning.toLowerCase()), stdout + stderr);
      if (beginning.startsWith('{')) JSON.parse(stdout);
      const messages = readFileSync(directory.at('messages'), 'utf8');
      assert.match(messages, /strong-etag-missing|post-reset-after/);
      assert.deepEqual(readdirSync(directory.path).sort(), ['messages', 'out']);
    });
  }

  test('is one that can be read again, if --resume needs it', async () => {
    using directory = createDirectory();
    for (const json of ['-', '/dev/stdout', '/dev/null', '>(cat)']) {
      const done = await shellIn(directory.path)(`plantstore grade --resume --json ${json} -- true`);
      refusedWith(done, 2, /--resume needs a file for --json/);
    }
  });

  test('is no other output and no baseline, and no folder is called -', async () => {
    using directory = createDirectory();
    const shell = shellIn(directory.path);
    refusedWith(await shell('plantstore grade --json - --html - -- true'), 2, /--json and --html name the same file/);
    refusedWith(await shell('plantstore grade --json - --html /dev/stdout -- true'), 2, /name the same file/);
    for (const command of ['grade', 'grade client', 'grade receiver']) {
      const same = await shell(`plantstore ${command} --json x --output ./x -- true`);
      refusedWith(same, 2, /--json and --output name the same file/);
      const baseline = await shell(`plantstore ${command} --json x --baseline ./x -- true`);
      refusedWith(baseline, 2, /--json and --baseline name the same file/);
      const done = await shell(`plantstore ${command} --output - -- true`);
      refusedWith(done, 2, /--output: - is not a folder; write \.\/- for a folder of this name/);
    }
    assert.deepEqual(readdirSync(directory.path), []);
  });
});
