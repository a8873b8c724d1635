import assert from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { test } from 'node:test';
import { createNewFile, discard } from '../src/new-file.ts';
import { createDirectory } from './harness/directory.ts';

test('a file is on stable storage before it has its name, and the name before the file is said to be kept', (t) => {
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
    const file = createNewFile(path);
    fs.writeFileSync(file.partial, 'all of it');
    file.keep();
  } finally {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  }
  assert.deepEqual(steps, ['all of it, not named', 'folder, named']);
  assert.deepEqual(fs.readdirSync(directory.path), ['new']);
});

test('a file that appeared under the name meanwhile stays as it is', () => {
  using directory = createDirectory();
  const file = createNewFile(directory.at('new'));
  fs.writeFileSync(file.partial, 'mine');
  fs.writeFileSync(directory.at('new'), 'of another');
  assert.throws(() => file.keep(), { name: 'StartupError', message: /already exists and is left as it is$/ });
  discard(file.partial);
  assert.equal(fs.readFileSync(directory.at('new'), 'utf8'), 'of another');
  assert.deepEqual(fs.readdirSync(directory.path), ['new']);
});
