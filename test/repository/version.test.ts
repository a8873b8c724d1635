/** The version stands in package.json, and `npm run generate` writes it everywhere else. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { createDirectory } from '../harness/directory.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SCRIPT = `${ROOT}scripts/generate.ts`;
const COPIED = 'CITATION.cff README.md contract deploy docs lab/commands lab/grade package-lock.json package.json src';
/** Files with versions of the past, of a format, or of something else. The guide has the pages of docs. */
const HISTORY = [
  ...['docs/adr/', 'docs/benchmark/', 'docs/client-results', 'docs/grade-results', 'docs/operating.md', 'docs/proof'],
  ...['docs/extending.md', 'docs/manifest.md', 'docs/tools.md', 'docs/guide/clients.md', 'contract/released/'],
  ...['package-lock.json', 'src/stores/', 'src/page/reference', 'src/page/guide.gen.json', 'lab/commands/'],
];

test('version and address are changed in package.json, and generate changes all other places', () => {
  using copy = createDirectory();
  for (const path of COPIED.split(' ')) cpSync(ROOT + path, copy.at(path), { recursive: true });
  const manifest = readFileSync(copy.at('package.json'), 'utf8');
  const { version } = JSON.parse(manifest);
  const other = manifest.replace(`"version": "${version}"`, '"version": "4.5.6-rc.7"');
  writeFileSync(copy.at('package.json'), other.replaceAll(/github\.com\/\w+\//g, 'github.com/someone/'));
  writeFileSync(copy.at('CHANGELOG.md'), '## 4.5.6-rc.7 - unreleased\n');

  execFileSync(process.execPath, [SCRIPT], { cwd: copy.path });
  const paths = globSync('**', { cwd: copy.path, withFileTypes: true }).filter((entry) => entry.isFile());
  const old = new RegExp(`(?<![\\w.])${version.replaceAll('.', '\\.')}(?![\\w-])`);
  const left = paths
    .map(({ parentPath, name }) => `${parentPath}/${name}`.slice(copy.path.length + 1))
    .filter((path) => !HISTORY.some((part) => path.startsWith(part)) && old.test(readFileSync(copy.at(path), 'utf8')));
  assert.deepEqual(left, []);

  const lock = JSON.parse(readFileSync(copy.at('package-lock.json'), 'utf8'));
  assert.deepEqual([lock.version, lock.packages[''].version], ['4.5.6-rc.7', '4.5.6-rc.7']);
  const readme = readFileSync(copy.at('README.md'), 'utf8');
  assert.match(readme, /^git clone https:\/\/github\.com\/someone\/plant-store\.git && /m);
  for (const name of ['', 'sandbox-', 'events-']) {
    const { info } = parse(readFileSync(copy.at(`contract/released/${name}4.5.6-rc.7.yaml`), 'utf8'));
    assert.equal(info.version, '4.5.6-rc.7');
  }
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT, '--check'], { cwd: copy.path, encoding: 'utf8' });
  assert.deepEqual([status, stderr], [0, '']);
});
