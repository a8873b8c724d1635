/** `npm run release` refuses what must not be published, and the workflows call only what exists. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createDirectory } from '../harness/directory.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const COPIED = 'CITATION.cff README.md contract deploy docs lab/commands lab/grade package-lock.json package.json src';

test('a release needs the address of the repository, texts about the package, a dated change and a clean tree', () => {
  using copy = createDirectory();
  for (const path of COPIED.split(' ')) cpSync(ROOT + path, copy.at(path), { recursive: true });
  execFileSync('git', ['init', '--quiet'], { cwd: copy.path });
  const manifest = readFileSync(copy.at('package.json'), 'utf8');
  const { version } = JSON.parse(manifest);
  writeFileSync(copy.at('package.json'), manifest.replaceAll(/github\.com\/[^/]+\//g, 'github.com/OWNER/'));
  writeFileSync(copy.at('CHANGELOG.md'), `## ${version} - unreleased\n- All of it.\n`);
  writeFileSync(copy.at('README.md'), 'The package is not on npm yet.\n');
  writeFileSync(copy.at('CITATION.cff'), readFileSync(copy.at('CITATION.cff'), 'utf8').replace(version, '0.0.1'));

  const command = [`${ROOT}scripts/release.ts`];
  const { status, stderr } = spawnSync(process.execPath, command, { cwd: copy.path, encoding: 'utf8' });
  assert.equal(status, 1);
  for (const problem of [
    'CITATION.cff has drifted: run npm run generate',
    'CHANGELOG.md has a section that is marked as unreleased',
    'package.json has the placeholder OWNER in its addresses: write the owner of the repository there',
    'README.md has a sentence that the package is not on npm',
    'the working tree has changes that are not committed',
  ])
    assert.ok(stderr.split('\n').includes(problem), `${problem}\n${stderr}`);
  assert.ok(!existsSync(copy.at('dist')), 'it made files');
});

test('the workflows call scripts of package.json and files that exist', () => {
  const { scripts } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'));
  const workflows = globSync(`${ROOT}.github/workflows/*.yml`).map((path) => readFileSync(path, 'utf8'));
  const named = workflows.flatMap((text) => [...text.matchAll(/npm run (?:-s )?([\w:]+)/g)].map(([, name]) => name));
  assert.ok(named.includes('release'));
  assert.deepEqual(
    named.filter((name) => !(name !== undefined && name in scripts)),
    [],
  );
  const files = workflows.flatMap((text) => text.match(/\.(?:ci|github)\/[\w./-]+|deploy\/[\w./-]+/g) ?? []);
  assert.ok(files.length >= 3);
  for (const file of files) assert.ok(existsSync(ROOT + file), file);
});
