/** A graded command that names files of the current folder without {cwd}, or programs that cannot be started. */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { createDirectory } from '../../../test/harness/directory.ts';
import { PLANTSTORE, refusedWith, runCommand } from '../../../test/harness/process.ts';
import { refuseLostFiles } from '../../commands/lost-files.ts';

const directory = createDirectory();
after(() => directory[Symbol.dispose]());
for (const name of ['client.py', 'env.json', 'file', 'no-interpreter']) writeFileSync(directory.at(name), '');
writeFileSync(directory.at('no-interpreter'), '#!/no/such/interpreter\r\n');
chmodSync(directory.at('no-interpreter'), 0o755);
for (const folder of ['suite', 'lib']) mkdirSync(directory.at(folder));
writeFileSync(directory.at('lib/client.py'), '');
const skip = process.platform === 'win32';

/** Each line: the words of the command, and the line that refuses them. */
const LOST: readonly (readonly [words: readonly string[], line: string])[] = [
  [['python3', 'client.py'], 'find client.py: it runs in an empty folder; write {cwd}/client.py'],
  [['python3', '-u', './client.py'], 'find ./client.py: it runs in an empty folder; write {cwd}/client.py'],
  [['env', 'A=1', 'python3', 'lib/client.py'], 'find lib/client.py: it runs in an empty folder; write {cwd}/lib/cl'],
  [['my-tester', '--script=client.py'], 'find client.py: it runs in an empty folder; write --script={cwd}/client.py'],
  [['my-tester', 'env.json'], 'find env.json: it runs in an empty folder; write {cwd}/env.json'],
  [['pytest', 'suite/'], 'find suite/: it runs in an empty folder; write {cwd}/suite/'],
  [['python3', '{cwd}/clinet.py'], 'find {cwd}/clinet.py: there is no such file (did you mean client.py?)\n'],
  [['python3', 'clinet.py'], 'there is no such file (did you mean client.py?); write {cwd}/ before the name of a file'],
  [['python3', '/nowhere/client.py'], 'find /nowhere/client.py: there is no such file\n'],
  [['python3', 'lib\\client.py'], 'find lib\\client.py: paths are written with / here; write {cwd}/lib/client.py'],
  [['.\\client.py'], 'find .\\client.py: paths are written with / here; write {cwd}/client.py'],
  [['./nothing'], 'the command cannot be started: ./nothing: no such program\n'],
  [['no-interpreter'], 'no-interpreter: no such program; write ./no-interpreter for the file in this folder'],
  [['./file'], './file: the file is not executable; run chmod +x ./file, or write its interpreter before it'],
  [
    ['curl -sf {url} -H {token}'],
    'started: curl …: no such program; remove the quotes around the command, or write sh',
  ],
  [[`python3 {cwd}/client.py ${'x/'.repeat(200)}`], 'python3 …: no such program; remove the quotes around the command'],
  [[`./clinet.py ${'x'.repeat(300)}`], './clinet.py …: no such program; remove the quotes around the command, or'],
  [[`./${'x'.repeat(300)}`], `/${'x'.repeat(300)}: its name is too long\n`],
  [['./suite'], 'the command cannot be started: ./suite: it is a folder\n'],
  [['./no-interpreter'], './no-interpreter: the program in its first line does not exist, or that line ends with a ca'],
  [['no-interpreter'], 'no-interpreter: no such program; write ./no-interpreter for the file in this folder'],
];

const run = (command: string, words: readonly string[]) =>
  runCommand(
    [...command.split(' '), '--output', 'out', '--', ...words],
    {},
    { command: [PLANTSTORE], cwd: directory.path },
  );

for (const [words, line] of LOST) {
  test(`grade client -- ${words.join(' ').slice(0, 60)}: prints one line with what to do, and runs nothing`, {
    skip,
  }, async () => {
    const done = await run('grade client', words);
    refusedWith(done, 2, /^/);
    assert.ok(done.stderr.includes(line), done.stderr);
    assert.equal(existsSync(directory.at('out')), false);
  });
}

test('grade refuses the same words for a tester', { skip }, async () => {
  refusedWith(await run('grade', ['sh', 'client.py']), 2, /write \{cwd\}\/client\.py/);
  refusedWith(await run('grade', ['./file']), 2, /run chmod \+x \.\/file/);
});

test('an output, a subcommand, an address, a value of a run and a text for a shell may have any name', () => {
  const before = process.cwd();
  process.chdir(directory.path);
  try {
    refuseLostFiles(['my-tester', 'file', 'suite', '--report', 'env.json', '--out=env.json', 'http://host/client.py']);
    refuseLostFiles(['sh', '-c', 'cd {cwd} && python3 client.py']);
    refuseLostFiles(['python3', '{cwd}/client.py', '{report}.py', '{token}', 'a\\b']);
  } finally {
    process.chdir(before);
  }
});
