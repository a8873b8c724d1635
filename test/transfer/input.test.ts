import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { createDatabase } from '../harness/database.ts';
import { createDirectory } from '../harness/directory.ts';
import { PLANTSTORE, refusedWith, runCommand } from '../harness/process.ts';

/** Runs an import as a shell does. `how` is its operand or redirection. */
async function importBy(how: string) {
  await using database = await createDatabase();
  const shell = { command: ['bash', '-c', `plantstore() { "$0" "$@"; }; ${how}`, PLANTSTORE] } as const;
  return await runCommand(['--database', database.url], {}, shell);
}

const NDJSON = `seq 1 20000 | sed 's/.*/{"id":&,"name":"a"}/'`;

for (const [name, how] of Object.entries({
  'a substituted process': `plantstore import <(${NDJSON}) "$@"`,
  'a piped /dev/stdin': `${NDJSON} | cat | plantstore import /dev/stdin "$@"`,
  'CSV of a pipe': `plantstore import <(echo id,name; seq 1 20000 | sed s/$/,a/) --format csv "$@"`,
})) {
  test(`an input that is not a regular file is read as a stream: ${name}`, async () => {
    const stdout = '20,000 created, 0 already existed, 0 refused\n';
    assert.deepEqual(await importBy(how), { code: 0, stdout, stderr: '' });
  });
}

for (const [name, how] of Object.entries({
  closed: 'plantstore import - "$@" <&-',
  'the null device': 'plantstore import - "$@" < /dev/null',
  'a directory': `plantstore import - "$@" < '${tmpdir()}'`,
  'closed, as /dev/stdin': 'plantstore import /dev/stdin "$@" <&-',
  'the null device, as /dev/stdin': 'plantstore import /dev/stdin "$@" < /dev/null',
})) {
  test(`a standard input that cannot be read is refused: ${name}`, async () => {
    refusedWith(await importBy(how), 1, /: cannot read standard input: it is (a directory|closed, or \/dev\/null)\n$/);
  });
}

test('a file that cannot be read is reported', async () => {
  for (const [file, reason] of [
    [join(tmpdir(), 'plantstore-nothing.csv'), 'no such file or directory \\(ENOENT\\); correct the path'],
    [tmpdir(), 'it is a directory \\(EISDIR\\); choose the path of a file'],
    ['/dev/null/plants.csv', 'a part of its path is a file, not a directory \\(ENOTDIR\\); correct the path'],
  ] as const) {
    refusedWith(await importBy(`plantstore import ${file} "$@"`), 1, new RegExp(`: cannot read ${file}: ${reason}\n`));
  }
});

test('no database is created if the input cannot be read', async () => {
  using directory = createDirectory();
  for (const how of ['nothing.csv', '.', '- <&-', '- </dev/null']) {
    const shell = { command: ['sh', '-c', `"$0" "$@" ${how}`, PLANTSTORE], cwd: directory.path } as const;
    assert.equal((await runCommand(['import', '--database', 'sqlite:new.db'], {}, shell)).code, 1);
    assert.deepEqual(readdirSync(directory.path), [], how);
  }
});

test('standard input by its name /dev/stdin can be a socket', async () => {
  await using database = await createDatabase();
  const args = ['import', '/dev/stdin', '--database', database.url];
  // Node connects its children by sockets. A shell would open a pipe.
  const child = spawn(PLANTSTORE, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end('{"id":1,"name":"Aloe"}\n');
  assert.equal(await text(child.stdout), '1 created, 0 already existed, 0 refused\n');
});

test('an empty standard input imports nothing', async () => {
  assert.equal((await importBy(': | plantstore import - "$@"')).stdout, '0 created, 0 already existed, 0 refused\n');
});
