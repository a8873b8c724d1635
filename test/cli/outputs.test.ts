/** Where the outputs of the service's commands may go. lab/test/grade/outputs.test.ts has those of the grader. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { describe, test } from 'node:test';
import { PLANTSTORE, refusedWith, runCommand } from '../harness/process.ts';
import { createPlace } from './place.ts';

const PLANT = '{"id":1,"name":"Aloe"}\n';
const REFUSED = /^line 2: it is not JSON/;

/** A store with one plant, and commands in its folder as a shell runs them. `plantstore` has the database. */
async function createShell() {
  const place = await createPlace();
  const input = place.write('plants.ndjson', `${PLANT}nonsense\n`);
  await place.run('import', input);
  const script = (how: string) => `set -o pipefail; plantstore() { "$0" "$@" --database '${place.database}'; }; ${how}`;
  return {
    ...place,
    shell: (how: string) =>
      runCommand([], {}, { command: ['bash', '-c', script(how), PLANTSTORE], cwd: place.directory }),
    [Symbol.asyncDispose]: place[Symbol.asyncDispose],
  };
}

describe('an output', { skip: process.platform === 'win32', timeout: 300_000 }, () => {
  for (const [what, how] of Object.entries({
    '-': 'export - 2>messages',
    './- is a file': 'export ./- 2>messages && cat ./- && rm ./-',
    '/dev/stdout': 'export /dev/stdout 2>messages',
    '/dev/stdout that is a file': 'export /dev/stdout >copy 2>messages && cat copy && rm copy',
    'a substituted process': 'export >(cat) 2>messages | cat',
    'a descriptor': 'export /dev/fd/3 3> >(cat) 2>messages | cat',
    'a named pipe': 'export pipe 2>messages & timeout 20 cat pipe',
    'the null device': `export /dev/null 2>messages; printf '${PLANT.replace('\n', '\\n')}'`,
  })) {
    test(`of export goes to ${what}`, async () => {
      await using place = await createShell();
      execFileSync('mkfifo', [place.at('pipe')]);
      const { code, stdout } = await place.shell(`plantstore ${how}; code=$?; wait; exit $code`);
      assert.deepEqual([code, stdout], [0, PLANT]);
      assert.equal(readFileSync(place.at('messages'), 'utf8'), '1 plant exported\n');
      assert.deepEqual(readdirSync(place.directory).sort(), ['messages', 'pipe', 'plants.ndjson']);
    });
  }

  test('of a stream that ends early is reported by export as incomplete', async () => {
    await using place = await createShell();
    const done = await place.shell('plantstore export /dev/full');
    refusedWith(done, 1, /: cannot write \/dev\/full: the disk is full \(ENOSPC\); free space, /);
  });

  for (const [what, how] of Object.entries({
    '-': 'import plants.ndjson --refused - 2>messages',
    '/dev/stdout': 'import plants.ndjson --refused /dev/stdout 2>messages',
    'a substituted process': 'import plants.ndjson --refused >(cat) 2>&1 >messages | cat',
  })) {
    test(`of --refused goes to ${what}, without the summary`, async () => {
      await using place = await createShell();
      const { stdout } = await place.shell(`plantstore ${how}`);
      assert.match(stdout, REFUSED);
      assert.doesNotMatch(stdout, /created/);
      assert.match(readFileSync(place.at('messages'), 'utf8'), /^0 created, 1 already existed, 1 refused\n$/);
      assert.deepEqual(readdirSync(place.directory).sort(), ['messages', 'plants.ndjson']);
    });
  }

  for (const [what, how, reason] of [
    ['-', '-', /DEST: its path is -, .*write \.\/- /],
    ['/dev/stdout', '/dev/stdout | cat', /cannot write \/dev\/stdout: a backup is a file/],
    ['a substituted process', '>(cat >got)', /cannot write \/dev\/fd\/\d+: a backup is a file/],
    ['a named pipe', 'pipe', /cannot write .*pipe: a backup is a file/],
    ['the null device', '/dev/null', /cannot write \/dev\/null: a backup is a file/],
  ] as const) {
    test(`of backup cannot be ${what}, and the message says why`, async (t) => {
      await using place = await createShell();
      if (!place.database.startsWith('sqlite:')) return t.skip('PostgreSQL is backed up with its own tools');
      execFileSync('mkfifo', [place.at('pipe')]);
      const { code, stdout, stderr } = await place.shell(`plantstore backup ${how}`);
      assert.notEqual(code, 0);
      assert.equal(stdout, '');
      assert.match(stderr, /^plantstore: [^\n]*\n$/);
      assert.match(stderr, reason);
    });
  }

  test('of no command is a folder or a socket', async () => {
    await using place = await createShell();
    const server = createServer().listen(place.at('socket'));
    for (const path of ['.', './socket']) {
      for (const how of [`export ${path}`, `export --force ${path}`, `import plants.ndjson --refused ${path}`]) {
        const { code, stderr } = await place.shell(`plantstore ${how}`);
        assert.equal(code, 1);
        assert.match(
          stderr,
          /^plantstore: (?:\S+ already exists and was not changed; choose|cannot write \S+: .* \(E\w+\))/,
          how,
        );
      }
    }
    server.close();
  });
});
