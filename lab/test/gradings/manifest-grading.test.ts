/** Grades on the example of another service: examples/tea-shop, which is written in Python. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { createDirectory } from '../../../test/harness/directory.ts';
import { PLANTSTORE, runCommand } from '../../../test/harness/process.ts';

const STORE_AND_READ = `
set -e
auth="Authorization: Bearer $PLANTSTORE_TOKEN"
curl -sSf -X PUT "$PLANTSTORE_URL/teas/sencha" -H "$auth" -d '{"name":"Sencha","grams":50}'
curl -sSf "$PLANTSTORE_URL/teas/sencha" -H "$auth"`;
const CHECKS = {
  'grams-as-text': `${STORE_AND_READ} | grep '"grams": 50'`,
  'no-token-needed': `${STORE_AND_READ}; curl -s -w '%{http_code}' "$PLANTSTORE_URL/teas/sencha" | grep 401`,
  'put-forgets': STORE_AND_READ,
};

for (const [name, script] of Object.entries(CHECKS)) {
  test(`a tester of the tea shop notices ${name}, and misses or does not trigger the other defects`, async () => {
    using directory = createDirectory();
    const [path, json] = [directory.at('tester.sh'), directory.at('grading.json')];
    writeFileSync(path, script);
    const files = ['--output', directory.at('printed'), '--json', json];
    const manifest = 'examples/tea-shop/manifest.json';
    const { code, stderr } = await runCommand(['grade', '--manifest', manifest, ...files, '--', 'sh', path]);
    assert.equal(code, 0, stderr);
    const { defects, falseAlarms } = JSON.parse(readFileSync(json, 'utf8')) as {
      readonly defects: readonly { readonly name: string; readonly outcome: string }[];
      readonly falseAlarms: readonly unknown[];
    };
    assert.deepEqual(falseAlarms, []);
    const outcomes = Object.fromEntries(defects.map(({ name, outcome }) => [name, outcome]));
    const missed = { 'grams-as-text': 'missed', 'no-token-needed': 'not triggered' };
    // Each script reads the tea, so each notices that the service has forgotten it.
    assert.deepEqual(outcomes, { ...missed, 'put-forgets': 'noticed', [name]: 'noticed' });
  });
}

test('the tester of docs/manifest.md notices the defects that the page lists', () => {
  using directory = createDirectory();
  const page = readFileSync('docs/manifest.md', 'utf8');
  const [, commands = '', printed = ''] = /```sh\n(cat [^`]*)```[^`]*```text\n([^`]*)```/.exec(page) ?? [];
  const script = commands.replace('bin/plantstore', PLANTSTORE).replace('examples/', `${resolve('examples')}/`);
  const { status, stdout, stderr } = spawnSync('sh', ['-c', script], { cwd: directory.path, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  assert.ok(printed !== '' && stdout.includes(printed), stdout);
});
