import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../harness/client.ts';
import { PLANTSTORE, type Program, refusedWith, runCommand, runHere, serveProcess } from '../harness/process.ts';
import { createPlace } from './place.ts';

const NO_ROOM = { skip: !existsSync('/dev/full') && 'this system has no /dev/full' };

/** Runs the program with its streams redirected by a shell. */
function redirected(words: string): Program {
  return { command: ['sh', '-c', `exec "$0" "$@" ${words}`, PLANTSTORE] };
}

/** A place whose database has `count` plants. */
async function stocked(count: number) {
  const place = await createPlace();
  const line = (_: unknown, id: number) => `{"id":${id},"name":"${'x'.repeat(1_000)}"}\n`;
  const done = await place.run('import', place.write('plants.ndjson', Array.from({ length: count }, line).join('')));
  assert.equal(done.code, 0, done.stderr);
  return place;
}

/** Starts a command and gives the test its streams. */
function begin(args: readonly string[]) {
  const child = spawn(PLANTSTORE, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  child.stdin.on('error', () => undefined);
  return { child, stderr: () => stderr };
}

test('a service continues if nobody reads its log', async (t) => {
  const use = async (service: Awaited<ReturnType<typeof serveProcess>>) => {
    const client = createClient(service.url, service.token ?? '');
    for (let id = 0; id < 5; id++) {
      assert.equal((await client.send('POST', '/plants', { body: { id, name: 'Aloe vera' } })).status, 200);
      assert.equal((await client.send('GET', '/plants', { token: null })).status, 401);
    }
    client.close();
    assert.equal(await service.stop('SIGTERM'), 0);
  };
  await t.test('since its reader has left', async () => {
    await using place = await createPlace();
    const service = await serveProcess(place.on(['--access-log']));
    service.child.stderr?.destroy();
    await use(service);
  });
  await t.test('since its disk is full', NO_ROOM, async () => {
    await using place = await createPlace();
    await use(await serveProcess(place.on(['--access-log']), {}, redirected('2>/dev/full')));
  });
});

test('an import continues if nobody reads its list of refused lines', async () => {
  await using place = await createPlace();
  const good = Array.from({ length: 20_000 }, (_, id) => `nonsense\n{"id":${id},"name":"Fern"}\n`).join('');
  place.write('half.ndjson', good);
  const { child } = begin(place.on(['import', place.at('half.ndjson')]));
  child.stderr.destroy();
  let stdout = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  assert.deepEqual(await once(child, 'close'), [1, null]);
  assert.equal(stdout, '20,000 created, 0 already existed, 20,000 refused\n');
});

test('a command exits with 1 and no message if the reader of its output closes it', async (t) => {
  await using place = await stocked(3_000);
  for (const args of [['export'], ['token', 'list'], ['check']]) {
    await t.test(args.join(' '), async () => {
      const { child, stderr } = begin(place.on([...args]));
      child.stdout.destroy();
      assert.deepEqual(await once(child, 'close'), [1, null]);
      assert.equal(stderr(), '');
    });
  }
});

for (const [state, words, why, options] of [
  ['full', '>/dev/full', 'the disk is full \\(ENOSPC\\); free space, ', NO_ROOM],
  ['closed', '>&-', 'it is closed', {}],
] as const) {
  test(`a command exits with 1 and one line if standard output is ${state}`, options, async (t) => {
    await using place = await stocked(10);
    for (const command of ['export', 'export -', 'check', 'token list', 'token create --name lost']) {
      await t.test(command, async () => {
        const done = await runCommand(place.on(command.split(' ')), {}, redirected(words));
        refusedWith(done, 1, new RegExp(`: cannot write to standard output: ${why}`));
      });
    }
    const { stdout } = await place.run('token', 'list', '--json');
    const tokens: { name: string; status: string }[] = JSON.parse(stdout);
    // Nobody has seen the token.
    assert.equal(tokens.find(({ name }) => name === 'lost')?.status, 'revoked');
  });
}

test('a command exits with 1 and the reason if standard output is a file that takes only a part', async () => {
  await using place = await stocked(200);
  // The write that reaches the limit is cut short, as on a full disk. No other write follows.
  const words = `ulimit -f 128; exec "$0" "$@" >'${place.at('cut.ndjson')}'`;
  const done = await runCommand(place.on(['export']), {}, { command: ['sh', '-c', words, PLANTSTORE] });
  refusedWith(done, 1, /: cannot write to standard output: the file is larger .* \(EFBIG\); raise the limit/);
});

test('a command succeeds if its output goes to /dev/null, and reports one plant in the singular', async () => {
  await using place = await stocked(1);
  const done = await runCommand(place.on(['export']), {}, redirected('>/dev/null'));
  assert.deepEqual([done.code, done.stderr], [0, '1 plant exported\n']);
});

test('an export to a slow reader prints only the number of plants', async () => {
  await using place = await stocked(5_000);
  const { child, stderr } = begin(place.on(['export']));
  let bytes = 0;
  for await (const chunk of child.stdout) {
    bytes += chunk.length;
    await sleep(5);
  }
  assert.ok(bytes > 5_000_000);
  assert.equal(stderr(), '5,000 plants exported\n');
});

test('a signal ends an export immediately, to a stalled reader or to a file, which is deleted', async (t) => {
  await using place = await stocked(20_000);
  await t.test('to a pipe', async () => {
    const { child } = begin(place.on(['export']));
    await once(child.stdout, 'readable');
    child.kill('SIGINT');
    const [code, signal] = await once(child, 'exit');
    assert.deepEqual([code, signal], [null, 'SIGINT']);
  });
  await t.test('to a file', async () => {
    const before = readdirSync(place.directory);
    const file = place.at('copy.ndjson');
    const { child, stderr } = begin(place.on(['export', file]));
    // While it is written, the file has another name.
    while (readdirSync(place.directory).length === before.length) await sleep(1);
    assert.ok(!existsSync(file));
    child.kill('SIGINT');
    const [code] = await once(child, 'close');
    if (code === 0) assert.equal(readFileSync(file, 'utf8').split('\n').length, 20_001);
    else {
      assert.equal(stderr(), 'plantstore: stopped: no file was written\n');
      assert.deepEqual(readdirSync(place.directory), before);
    }
  });
});

test('an interrupted export to a file is reported and keeps no file', async () => {
  await using place = await stocked(1);
  const before = readdirSync(place.directory);
  const done = await runHere(place.on(['export', place.at('copy.ndjson')]), {}, Promise.resolve());
  assert.deepEqual(done, { code: 1, stdout: '', stderr: 'plantstore: stopped: no file was written\n' });
  assert.deepEqual(readdirSync(place.directory), before);
});

const BELOW_FILE = 'a part of its path is a file, not a directory \\(ENOTDIR\\); correct the path';
const TOO_LONG = 'its name is too long \\(ENAMETOOLONG\\); choose a shorter name';

test('a command reports in one line why it cannot create a file, and leaves no file', async () => {
  await using place = await stocked(1);
  const input = place.at('plants.ndjson');
  const report = ['import', input, '--refused'];
  const [below, long, absent] = [join(input, 'copy'), place.at('x'.repeat(250)), place.at('absent')];
  for (const [command, name, why] of [
    [['export'], below, BELOW_FILE],
    [['backup'], below, BELOW_FILE],
    [report, below, BELOW_FILE],
    [['export'], long, TOO_LONG],
    [['backup'], long, TOO_LONG],
    [['export'], join(absent, 'copy'), `no such folder: ${absent}; create it first`],
    [report, join(absent, 'copy'), `no such folder: ${absent}; create it first`],
  ] as const) {
    // PostgreSQL is backed up with its own tools.
    if (command[0] === 'backup' && !place.database.startsWith('sqlite:')) continue;
    refusedWith(await place.run(...command, name), 1, new RegExp(`: cannot write ${name}: ${why}`));
  }
  for (const command of ['export', 'import', 'backup']) {
    refusedWith(
      await place.run(command, ''),
      2,
      new RegExp(`: an argument is empty; see plantstore ${command} --help\n$`),
    );
  }
  assert.deepEqual(readdirSync(place.directory), ['plants.ndjson']);
});

test('a service stops on a signal even if its log is a full pipe that nobody reads', async () => {
  await using place = await createPlace();
  const child = spawn(PLANTSTORE, place.on(['serve', '--port', '0', '--access-log']), {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [greeting] = await once(child.stdout, 'data');
  const client = createClient(/ready at (\S+)/.exec(String(greeting))?.[1] ?? '', 'none');
  // About 1 MB of log.
  for (let i = 0; i < 63; i++) {
    const headers = { 'x-request-id': 'x'.repeat(128) };
    const responses = await Promise.all(Array.from({ length: 64 }, () => client.send('GET', '/plants', { headers })));
    assert.ok(responses.every(({ status }) => status === 401));
  }
  client.close();
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  assert.equal(code, 0);
  child.stderr.destroy();
});

test('a signal ends an import that waits for input', async () => {
  await using place = await createPlace();
  const { child, stderr } = begin(place.on(['import', '-']));
  // More than one batch, so that the first one is reported. Before that the signal may end the process as usual.
  child.stdin.write('nonsense\n'.repeat(10_000));
  await once(child.stderr, 'data');
  child.kill('SIGINT');
  const [code] = await once(child, 'close');
  assert.equal(code, 1);
  assert.match(
    stderr(),
    /\nplantstore: stopped; import it again: plants that are already stored are not stored twice\n$/,
  );
});

test('a signal ends an import that waits for a named pipe', {
  skip: process.platform === 'win32',
  timeout: 10_000,
}, async () => {
  await using place = await createPlace();
  const pipe = place.at('pipe');
  execFileSync('mkfifo', [pipe]);
  const { child } = begin(place.on(['import', pipe]));
  // The reader makes the opening succeed, and then waits, since nothing is written.
  await using _ = await open(pipe, 'w');
  child.kill('SIGTERM');
  assert.deepEqual(await once(child, 'close'), [null, 'SIGTERM']);
});

test('an import reports that its list of refused lines cannot be written', NO_ROOM, async () => {
  await using place = await createPlace();
  const bad = place.write('bad.ndjson', 'nonsense\n');
  const done = await place.run('import', bad, '--refused', '/dev/full');
  refusedWith(done, 1, /: cannot write \/dev\/full: the disk is full \(ENOSPC\); free space, /);
});

test('an import reports a partly written list of refused lines, and loses none of the lines', async () => {
  await using place = await createPlace();
  const bad = place.write('bad.ndjson', 'nonsense\n'.repeat(20_000));
  // No file may exceed 1 MiB: the write that reaches the limit is cut short, as on a full disk.
  const limited: Program = { command: ['sh', '-c', 'ulimit -f 1024; exec "$0" "$@"', PLANTSTORE] };
  const done = await runCommand(place.on(['import', bad, '--refused', place.at('refused.txt')]), {}, limited);
  refusedWith(done, 1, /: cannot write \S+refused\.txt: the file is larger .* \(EFBIG\); raise the limit/);
});
