/** The code of a description is in the folder with its name, anywhere below src/features. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { createDirectory } from '../harness/directory.ts';

const MODULE = new URL('../../scripts/contract/descriptions.ts', import.meta.url).href;
const PRINT = `import { DESCRIPTIONS, folderOf } from '${MODULE}';
for (const one of DESCRIPTIONS) {
  try { console.log(one.name, folderOf(one)); } catch (error) { console.log(error.message); }
}`;

/** Returns a line for each of these descriptions in a directory that has only these folders. */
function foldersOf(names: readonly string[], folders: readonly string[], files: readonly string[] = []) {
  using directory = createDirectory();
  for (const folder of ['contract', ...folders]) mkdirSync(directory.at(folder), { recursive: true });
  for (const path of [...names.map((name) => `contract/${name}.yaml`), ...files]) writeFileSync(directory.at(path), '');
  const options = { cwd: directory.path, encoding: 'utf8' } as const;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', PRINT], options);
  assert.equal(stderr, '');
  return stdout.trim().split('\n');
}

test('a description belongs to the folder with its name, at any depth', () => {
  const folders = ['src/contract', 'src/features/rain', 'src/features/wind/storm/hail'];
  assert.deepEqual(foldersOf(['hail', 'openapi', 'rain'], folders), [
    'hail src/features/wind/storm/hail',
    'openapi src/contract',
    'rain src/features/rain',
  ]);
});

test('a description without a folder of its name is an error, even if there is a file of this name', () => {
  const line = 'contract/rain.yaml needs a folder rain below src/features, which serves it';
  assert.deepEqual(foldersOf(['rain'], ['src/features/rains', 'src/rain'], ['src/features/rain']), [line]);
  assert.deepEqual(foldersOf(['rain'], []), [line]);
});

test('a description with two folders of its name is an error that names both', () => {
  assert.deepEqual(foldersOf(['rain'], ['src/features/rain', 'src/features/wind/rain']), [
    'contract/rain.yaml needs only one folder rain, but there are src/features/rain, src/features/wind/rain',
  ]);
});
