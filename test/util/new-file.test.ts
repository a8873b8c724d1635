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

test('where a file system has no hard links, a new file appears and an existing file stays', async (t) => {
  using directory = createDirectory();
  t.mock.method(fs, 'linkSync', () => {
    throw Object.assign(new Error('EPERM: operation not permitted, link'), { code: 'EPERM', errno: -1 });
  });
  syncBuiltinESMExports();
  try {
    await writeNewFile(directory.at('new'), async (partial) => fs.writeFileSync(partial, 'all of it'));
    const other = async (partial: string) => {
      fs.writeFileSync(partial, 'other');
      fs.writeFileSync(directory.at('late'), 'of another program');
    };
    await assert.rejects(writeNewFile(directory.at('late'), other), { message: /late already exists and was not/ });
  } finally {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  }
  assert.equal(fs.readFileSync(directory.at('new'), 'utf8'), 'all of it');
  assert.equal(fs.readFileSync(directory.at('late'), 'utf8'), 'of another program');
  assert.deepEqual(fs.readdirSync(directory.path).sort(), ['late', 'new']);
});
