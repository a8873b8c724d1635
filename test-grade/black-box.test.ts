/** Grades the project's own black box (test/black-box) like any other tester. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { DEFECTS } from '../src/defects/index.ts';
import { createDirectory } from '../test/harness/directory.ts';
import { runCommand } from '../test/harness/process.ts';

interface Grading {
  readonly falseAlarms: readonly unknown[];
  readonly defects: readonly { readonly name: string; readonly ruleIn: string; readonly outcome: string }[];
}

test('the black box notices the defects that violate a schema, and nothing on the clean service', async () => {
  using directory = createDirectory();
  const json = directory.at('grading.json');
  const command = [process.execPath, 'test/black-box/run.ts'];
  const { code, stderr } = await runCommand([
    ...['grade', '--output', directory.at('printed'), '--json', json, '--'],
    ...command,
  ]);
  assert.equal(code, 0, stderr);
  const { falseAlarms, defects } = JSON.parse(readFileSync(json, 'utf8')) as Grading;
  assert.deepEqual(falseAlarms, []);
  assert.equal(defects.length, DEFECTS.length);
  const known = defects.filter(({ ruleIn }) => ruleIn === 'schema');
  const unknown = known.filter(({ outcome }) => outcome !== 'noticed').map(({ name }) => name);
  assert.ok(unknown.length <= known.length * 0.05, `not noticed: ${unknown.join(', ')}`);
  // The suite also tests the prose, so at most one of the other defects may be missed.
  const missed = defects.filter(({ outcome }) => outcome !== 'noticed').map(({ name }) => name);
  assert.ok(missed.length <= unknown.length + 1, `not noticed: ${missed.join(', ')}`);
});
