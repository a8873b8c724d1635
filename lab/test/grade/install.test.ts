/** How the graders of other people's tools install them. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createDirectory } from '../../../test/harness/directory.ts';

const FOLDERS = fileURLToPath(new URL('../../testers/folders.ts', import.meta.url));

test('a tester that cannot be installed has the reason, and its output is shown', () => {
  using directory = createDirectory();
  const script = directory.at('run');
  const install = (text: string, mode: number) => {
    writeFileSync(script, `#!/bin/sh\n${text}\n`);
    chmodSync(script, mode);
    const call = `const { install } = await import(${JSON.stringify(FOLDERS)});
      console.log(install(${JSON.stringify(script)}, process.env));`;
    return spawnSync(process.execPath, ['--input-type=module', '-e', call], { encoding: 'utf8' });
  };
  assert.equal(install('[ "$1" = install ]', 0o755).stdout, 'undefined\n');
  const failed = install('echo "no such version" >&2; exit 7', 0o755);
  assert.deepEqual([failed.stdout, failed.stderr], [`${script} install ended with exit code 7\n`, 'no such version\n']);
  assert.equal(install('kill -9 $$', 0o755).stdout, `${script} install ended with SIGKILL\n`);
  assert.equal(install('true', 0o644).stdout, `${script} is not executable\n`);
});
