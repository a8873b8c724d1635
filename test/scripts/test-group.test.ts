/** A process of `npm test` that takes test files. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createDirectory } from '../harness/directory.ts';

const GROUP = fileURLToPath(new URL('../../scripts/test-group.ts', import.meta.url));

test('a process skips a test file that another process has taken, and no file for another reason', () => {
  using directory = createDirectory();
  const file = directory.at('one.test.ts');
  writeFileSync(file, "console.log('it ran');\n");
  const run = (taken: string) => {
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    return spawnSync(process.execPath, [GROUP, taken, `sqlite ${file}`], { env, encoding: 'utf8' });
  };
  const taken = directory.at('taken');
  assert.notEqual(run(taken).status, 0, 'the directory for taken files does not exist');
  mkdirSync(taken);
  assert.match(run(taken).stdout, /it ran/);
  const again = run(taken);
  assert.equal(again.status, 0);
  assert.doesNotMatch(again.stdout, /it ran/);
});
