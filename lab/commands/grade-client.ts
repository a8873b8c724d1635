/**
 * `plantstore grade client`: runs an HTTP client while things go wrong, and compares what it believes with the store.
 */
import { availableParallelism } from 'node:os';
import { command, UsageError } from '../../src/cli/command-line.ts';
import { time } from '../../src/cli/options.ts';
import { CLIENT } from './candidates.ts';
import { chooseScenarios, scenarioOptions, wishesOf } from './scenario-options.ts';

export const gradeClient = command({
  name: 'grade client',
  operand: '-- COMMAND…',
  operands: true,
  summary: 'Grades an HTTP client: which failures make it lose, repeat or overwrite a plant',
  options: {
    ...scenarioOptions(CLIENT, 'four'),
    attemptTimeout: time(
      '1s',
      'The longest time of an attempt, which the command gets as PLANTSTORE_TIMEOUT_MS. At most 2s for late and slow ' +
        'responses.',
    ),
    timeout: time('30s', 'The longest time that the command may take for a scenario.'),
  },
  async run(config, stdio, _, words) {
    // Loaded only here, since no other command needs it.
    const { SCENARIOS } = await import('../grade/client/scenarios.ts');
    const scenarios = await chooseScenarios(CLIENT, SCENARIOS, config, words, stdio);
    if (scenarios === undefined) return 0;
    const { jobs = 4 * availableParallelism(), attemptTimeout, timeout } = config;
    const late = scenarios.find(({ maxAttempt = attemptTimeout }) => attemptTimeout > maxAttempt);
    if (late !== undefined) {
      const rule = `it must be at most ${late.maxAttempt} ms for ${late.name}`;
      throw new UsageError(`--attempt-timeout: ${rule}; --only can leave out what is late or slow`);
    }
    const grading = { command: words, scenarios, attemptTimeout, timeout, jobs };
    const { runClientGrading } = await import('./client-grading.ts');
    return runClientGrading(grading, await wishesOf(CLIENT, config, scenarios), stdio, stdio.stopped());
  },
});
