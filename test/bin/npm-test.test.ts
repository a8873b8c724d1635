/** The command that runs these tests: what it refuses, and what it leaves behind. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createDirectory } from '../harness/directory.ts';

const SCRIPT = 'scripts/test.ts';

test('an engine that there is not is refused, rather than that nothing is tested', () => {
  for (const engine of ['sqlit', '']) {
    const { status, stderr } = spawnSync(process.execPath, [SCRIPT], {
      env: { ...process.env, TEST_ENGINE: engine },
      encoding: 'utf8',
    });
    assert.match(stderr, /TEST_ENGINE is sqlite or postgres/);
    assert.equal(status, 1);
  }
});

test('an interruption leaves no PostgreSQL behind, nor its files', async () => {
  using directory = createDirectory();
  // PostgreSQL refuses root, so it may run as another user.
  chmodSync(directory.path, 0o755);
  const file = directory.at('long.test.mjs');
  writeFileSync(file, "import { test } from 'node:test'; test(() => new Promise((done) => setTimeout(done, 20_000)));");
  // Within these very tests it would take itself for one of them.
  const { NODE_TEST_CONTEXT, ...rest } = process.env;
  const env = { ...rest, TMPDIR: directory.path };
  const runner = spawn(process.execPath, [SCRIPT, file], { env, detached: true });
  const ended = once(runner, 'exit');
  for await (const said of runner.stdout) if (String(said).includes('On ')) break;
  runner.kill('SIGINT');
  await ended;
  // The test above, which is a process of its own in the runner's group.
  if (runner.pid !== undefined) killGroup(runner.pid);
  assert.deepEqual(readdirSync(directory.path), ['long.test.mjs']);
});

test('a test finds the command in a folder whose name is written otherwise in a URL', () => {
  using directory = createDirectory();
  const root = directory.at('a blank, 100 %, né');
  cpSync('test/harness/process.ts', join(root, 'test/harness/process.ts'));
  mkdirSync(join(root, 'bin'));
  writeFileSync(join(root, 'bin/plantstore'), '#!/bin/sh\necho found\n', { mode: 0o755 });
  writeFileSync(
    join(root, 'run.mjs'),
    "import { runCommand } from './test/harness/process.ts'; console.log((await runCommand([])).stdout);",
  );
  const { stdout, stderr } = spawnSync(process.execPath, [join(root, 'run.mjs')], { encoding: 'utf8' });
  assert.equal(stdout, 'found\n\n', stderr);
});

function killGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // Nobody is left.
  }
}
