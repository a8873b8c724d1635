/** `npm run contract:check` on a copy of the descriptions. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { version } from '../../src/util/version.generated.ts';
import { createDirectory } from '../harness/directory.ts';

const CHECK = fileURLToPath(new URL('../../scripts/contract/check.ts', import.meta.url));

function copy() {
  const directory = createDirectory();
  cpSync('contract', directory.at('contract'), { recursive: true });
  return {
    ...directory,
    change(path: string, text: string, by: string) {
      const before = readFileSync(directory.at(path), 'utf8');
      assert.ok(before.includes(text), text);
      writeFileSync(directory.at(path), before.replace(text, by));
    },
    check() {
      const { status, stderr } = spawnSync(process.execPath, [CHECK], { cwd: directory.path, encoding: 'utf8' });
      return { status, stderr };
    },
  };
}

test('the descriptions are the same as the releases of their version', () => {
  using contract = copy();
  assert.deepEqual(contract.check(), { status: 0, stderr: '' });
});

for (const [path, kept] of [
  ['contract/openapi.yaml', `contract/released/${version}.yaml`],
  ['contract/sandbox.yaml', `contract/released/sandbox-${version}.yaml`],
  ['contract/events.yaml', `contract/released/events-${version}.yaml`],
  ['contract/webhooks.yaml', `contract/released/webhooks-${version}.yaml`],
] as const) {
  test(`a changed word in ${path} fails the check until it is copied or the version is raised`, () => {
    using contract = copy();
    writeFileSync(contract.at(path), `${readFileSync(contract.at(path), 'utf8')}# A comment.\n`);
    const { status, stderr } = contract.check();
    assert.equal(status, 1);
    assert.equal(stderr.split(': ')[0], `${path} differs from ${kept}`);
    contract.change(path, `version: ${version}`, 'version: 1.99.0');
    assert.deepEqual(contract.check(), { status: 0, stderr: '' });
    contract.change(path, 'version: 1.99.0', `version: ${version}`);
    cpSync(contract.at(path), contract.at(kept));
    assert.deepEqual(contract.check(), { status: 0, stderr: '' });
  });
}

test('a description without any release fails the check', () => {
  using contract = copy();
  for (const kept of globSync(contract.at('contract/released/events-*.yaml'))) rmSync(kept);
  const { status, stderr } = contract.check();
  assert.equal(status, 1);
  assert.match(stderr, /there is no released contract\/events\.yaml to compare with/);
});
