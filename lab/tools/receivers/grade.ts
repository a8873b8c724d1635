/**
 * Grades the receiver that a command starts: `node grade.ts COMMAND…`, in the environment of run.ts. Exits with 1 if an
 * outcome is not the one of the row.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Row } from '../rows.ts';

const { HERE = '', ROOT = '' } = process.env;
const files = ['--output', 'grading', '--json', 'outcomes.json'];
const args = ['grade', 'receiver', ...files, '--', ...process.argv.slice(2)];
spawnSync(join(ROOT, 'bin/plantstore'), args, { stdio: 'inherit' });
const { outcomes: runs } = JSON.parse(readFileSync('outcomes.json', 'utf8')) as {
  readonly outcomes: readonly { readonly scenario: string; readonly outcome: string }[];
};
assert.ok(runs.length > 1, 'the receiver has no result');
const found = Map.groupBy(runs, ({ outcome }) => outcome);
found.delete('verified');
const { outcomes = {} } = JSON.parse(readFileSync(join(HERE, 'row.json'), 'utf8')) as Row;
const named = [...found].map(([outcome, some]) => [outcome, some.map(({ scenario }) => scenario)] as const);
assert.deepEqual(Object.fromEntries(named), outcomes);
