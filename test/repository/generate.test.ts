/** The generated files agree with the description, so nothing else can be served or compiled. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { version } from '../../src/util/version.generated.ts';
import { createDirectory } from '../harness/directory.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SCRIPT = join(ROOT, 'scripts/generate.ts');

test('a change of the description is drift until the code and all served forms are generated again', () => {
  using house = createDirectory();
  for (const path of ['docs', 'README.md', 'package.json', 'src/features/sandbox/faults/kinds'])
    cpSync(join(ROOT, path), house.at(path), { recursive: true });
  for (const path of [
    'contract',
    'src/contract',
    'src/page',
    'src/util',
    'src/operations',
    'src/features/sandbox',
    'src/features/events/webhooks',
    'lab/grade',
    'lab/commands',
  ])
    mkdirSync(house.at(path), { recursive: true });
  for (const path of [
    'sandbox.yaml',
    'events.yaml',
    'webhooks.yaml',
    'manifest.schema.json',
    'grade-result.schema.json',
  ].map((name) => `contract/${name}`))
    cpSync(join(ROOT, path), house.at(path));
  const description = readFileSync(join(ROOT, 'contract/openapi.yaml'), 'utf8');
  const members = '{ type: integer, format: int64 }';
  const other = description.replace(/(\n {4}StoredPlant:.*?properties:\n)/s, `$1        parent: ${members}\n`);
  writeFileSync(house.at('contract/openapi.yaml'), other);

  const generate = (...args: string[]) => {
    const { status, stderr } = spawnSync(process.execPath, [SCRIPT, ...args], { cwd: house.path, encoding: 'utf8' });
    return { status, stderr };
  };
  mkdirSync(house.at('contract/released'));
  writeFileSync(house.at('CHANGELOG.md'), `## ${version} - 2026-12-01\n`);
  assert.equal(generate().status, 0);
  const kept = house.at(`contract/released/${version}.yaml`);
  assert.ok(!existsSync(kept), 'a release is never changed');
  const contract = readFileSync(house.at('src/contract/openapi.generated.ts'), 'utf8');
  assert.match(contract, /StoredPlant = object\(\{\s+parent: optional\(int64\(/);
  const forms = ['.json', '-3.0.json'].map((form) => house.at(`src/contract/openapi.served${form}`));
  const served = forms.map((path) => readFileSync(path, 'utf8'));
  for (const [i, path] of forms.entries()) {
    assert.match(served[i] ?? '', /parent"?:/);
    writeFileSync(path, (served[i] ?? '').replace('parent', 'parents'));
  }
  writeFileSync(house.at('CHANGELOG.md'), `## ${version} - unreleased\n`);
  const drifted = generate('--check');
  assert.equal(drifted.status, 1);
  const named = [...drifted.stderr.matchAll(/^(\S+) has drifted/gm)].map(([, path]) => path);
  assert.deepEqual(
    named.map((path) => house.at(`${path}`)).sort(),
    [
      ...forms,
      ...['', 'events-', 'sandbox-', 'webhooks-'].map((prefix) =>
        house.at(`contract/released/${prefix}${version}.yaml`),
      ),
    ].sort(),
  );
  assert.equal(generate().status, 0);
  assert.deepEqual(
    forms.map((path) => readFileSync(path, 'utf8')),
    served,
  );
  assert.equal(readFileSync(kept, 'utf8'), other);
});
