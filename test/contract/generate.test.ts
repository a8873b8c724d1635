/** What is generated follows the description: nothing else could be served or compiled. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createDirectory } from '../harness/directory.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SCRIPT = join(ROOT, 'scripts/generate.ts');

test('what was changed has drifted until it is generated, in code and in every form that is served', () => {
  using house = createDirectory();
  cpSync(join(ROOT, 'docs'), house.at('docs'), { recursive: true });
  for (const path of ['src/contract', 'src/docs', 'src/sandbox']) mkdirSync(house.at(path), { recursive: true });
  cpSync(join(ROOT, 'sandbox.yaml'), house.at('sandbox.yaml'));
  const description = readFileSync(join(ROOT, 'openapi.yaml'), 'utf8');
  const members = '{ type: integer, format: int64 }';
  const other = description.replace(/(\n {4}StoredPlant:.*?properties:\n)/s, `$1        parent: ${members}\n`);
  writeFileSync(house.at('openapi.yaml'), other);

  const generate = (...args: string[]) => spawnSync(process.execPath, [SCRIPT, ...args], { cwd: house.path }).status;
  assert.equal(generate('--check'), 1);
  assert.equal(generate(), 0);
  assert.equal(generate('--check'), 0);
  const contract = readFileSync(house.at('src/contract/openapi.generated.ts'), 'utf8');
  assert.match(contract, /StoredPlant = object\(\{\s+parent: optional\(int64\(/);
  for (const form of ['.json', '.yaml', '-3.0.json']) {
    const path = house.at(`src/contract/openapi.served${form}`);
    const served = readFileSync(path, 'utf8');
    assert.match(served, /parent"?:/);
    writeFileSync(path, served.replace('parent', 'parents'));
    assert.equal(generate('--check'), 1, form);
    assert.equal(generate(), 0);
    assert.equal(readFileSync(path, 'utf8'), served);
  }
});
