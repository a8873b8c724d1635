import assert from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { test } from 'node:test';
import { writeNewFile } from '../../src/util/new-file.ts';
import { createDirectory } from '../harness/directory.ts';

test('a file is on stable storage before it gets its name, and the name before the command succeeds', async (t) => {
  using directory = createDirectory();
  const path = directory.at('new');
  const steps: string[] = [];
  const { fsyncSync } = fs;
  t.mock.method(fs, 'fsyncSync', (file: number) => {
    const synced = fs.fstatSync(file).isDirectory() ? 'folder' : fs.readFileSync(file, 'utf8');
    steps.push(`${synced}, ${fs.readdirSync(directory.path).includes('new') ? 'named' : 'not named'}`);
    fsyncSync(file);
  });
  syncBuiltinESMExports();
  try {
    await writeNewFile(path, async (partial) => fs.writeFileSync(partial, 'all of it'));
  } finally {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  }
  assert.deepEqual(steps, ['all of it, not named', 'folder, named']);
  assert.equal(fs.readFileSync(path, 'utf8'), 'all of it');
  assert.deepEqual(fs.readdirSync(directory.path), ['new']);
});
