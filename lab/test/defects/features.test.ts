/** The order in which features wrap each other: a defect around a sandbox around the store. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateToken } from '../../../src/auth/token.ts';
import { loadFeatures } from '../../../src/features/index.ts';
import { openSandboxes } from '../../../src/features/sandbox/index.ts';
import { refusedWith, runHere } from '../../../test/harness/process.ts';
import { DEFAULTS, startTestService } from '../../../test/harness/service.ts';
import { plantDefect } from '../../defects/index.ts';
import { PROGRAM } from '../../program.ts';

const DEFECT = 'any-token-accepted';
/** A well-formed token of a sandbox that does not exist. */
const UNKNOWN = { Authorization: `Bearer ${generateToken('pss_')}` };

test('a defect wraps the sandboxes: it accepts the token that they refuse', async () => {
  const config = { ...DEFAULTS, sandboxes: 1, defect: DEFECT };
  const features = await loadFeatures(config, PROGRAM.features);
  await using service = await startTestService({ features });
  assert.equal((await fetch(`${service.running.url}/plants`, { headers: UNKNOWN })).status, 200);
});

test('in the other order the sandboxes refuse the token before the defect sees it', async () => {
  await using service = await startTestService({ features: [plantDefect(DEFECT), openSandboxes(DEFAULTS)] });
  assert.equal((await fetch(`${service.running.url}/plants`, { headers: UNKNOWN })).status, 401);
});

test('a file descriptor that leads to no grader ends the start with one line', async () => {
  for (const GRADE_CHANNEL of ['0', '1', '2', '-1', 'x', '1000000']) {
    refusedWith(await runHere(['serve', '--demo'], { GRADE_CHANNEL }), 1, /: GRADE_CHANNEL: .*; unset the variable/);
  }
});

test('a service without any of these options loads no feature', async () => {
  assert.deepEqual(await loadFeatures(DEFAULTS, PROGRAM.features), []);
});
