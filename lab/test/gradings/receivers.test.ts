/** Grades the careful receivers of the guide, and the careless control, in every scenario. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createDirectory } from '../../../test/harness/directory.ts';
import { runCommand } from '../../../test/harness/process.ts';
import { SCENARIOS } from '../../grade/receiver/scenarios.ts';

const pathOf = (file: string) => fileURLToPath(new URL(`../../../${file}`, import.meta.url));

/** Resolves to the outcome of each scenario, by its name. */
async function grade(...command: readonly string[]): Promise<Readonly<Record<string, string>>> {
  using directory = createDirectory();
  const json = directory.at('receiver.json');
  const files = ['--output', directory.at('output'), '--json', json];
  const variables = ['env', 'PORT={port}', 'WEBHOOK_SECRET={secret}', 'EVENTS={report}'];
  const { stderr } = await runCommand(['grade', 'receiver', ...files, '--', ...variables, ...command]);
  const { outcomes } = JSON.parse(readFileSync(json, 'utf8')) as {
    readonly outcomes: readonly { readonly scenario: string; readonly outcome: string }[];
  };
  assert.equal(outcomes.length, SCENARIOS.length, stderr);
  return Object.fromEntries(outcomes.map(({ scenario, outcome }) => [scenario, outcome]));
}

const ALL_VERIFIED = Object.fromEntries(SCENARIOS.map(({ name }) => [name, 'verified']));

test('the careful receiver in TypeScript is right in every scenario', async () => {
  assert.deepEqual(await grade(process.execPath, pathOf('examples/receivers/careful.ts')), ALL_VERIFIED);
});

test('the careful receiver in Python is right in every scenario', async () => {
  assert.deepEqual(await grade('python3', '-B', pathOf('examples/receivers/careful.py')), ALL_VERIFIED);
});

test('the careful receivers have at most 40 lines', () => {
  for (const file of ['careful.ts', 'careful.py']) {
    const lines = readFileSync(pathOf(`examples/receivers/${file}`), 'utf8')
      .trimEnd()
      .split('\n');
    assert.ok(lines.length <= 40, `${file}: ${lines.length} lines`);
  }
});

test('the careless receiver is wrong in each scenario for which it has a mistake', async () => {
  assert.deepEqual(await grade(process.execPath, pathOf('lab/receivers/careless.ts')), {
    ...ALL_VERIFIED,
    exact: 'lost',
    'old-secret': 'lost',
    'other-versions': 'lost',
    'test-message': 'lost',
    'unknown-type': 'lost',
    repeated: 'processed twice',
    'same-time': 'processed twice',
    unsigned: 'ignored',
    huge: 'ignored',
    'no-json': 'failed',
    empty: 'failed',
    'short-signature': 'crashed',
    'no-base64': 'crashed',
    'no-version': 'crashed',
    old: 'accepted a replay',
    future: 'accepted a replay',
    'another-format': 'accepted a forgery',
    'another-version': 'accepted a forgery',
  });
});
