/** `plantstore grade receiver`: sends right, wrong and repeated messages of webhooks to a receiver. */
import { availableParallelism } from 'node:os';
import { command } from '../../src/cli/command-line.ts';
import { time, withDefault } from '../../src/cli/options.ts';
import { RECEIVER } from './candidates.ts';
import { refuseFixedPort } from './lost-placeholders.ts';
import { chooseScenarios, scenarioOptions, wishesOf } from './scenario-options.ts';

export const gradeReceiver = command({
  name: 'grade receiver',
  operand: '-- COMMAND…',
  operands: true,
  summary: 'Grades a receiver of webhooks: whether it is fooled, loses an event or stores it twice',
  options: {
    ...scenarioOptions(RECEIVER, 'one'),
    path: withDefault(pathOf, 'PATH', '/', 'Path of the address to which the messages are sent.'),
    timeout: time('30s', 'The longest time that the command may take to listen on its port.'),
  },
  async run(config, stdio, _, words) {
    // Loaded only here, since no other command needs it.
    const { SCENARIOS } = await import('../grade/receiver/scenarios.ts');
    const scenarios = await chooseScenarios(RECEIVER, SCENARIOS, config, words, stdio);
    if (scenarios === undefined) return 0;
    refuseFixedPort(words);
    const { jobs = availableParallelism(), path, timeout } = config;
    const grading = { command: words, scenarios, path, timeout, jobs };
    const { runReceiverGrading } = await import('./receiver-grading.ts');
    return runReceiverGrading(grading, await wishesOf(RECEIVER, config, scenarios), stdio, stdio.stopped());
  },
});

function pathOf(text: string): string {
  if (/^\/[\w.~/-]*$/.test(text)) return text;
  throw new Error('it must be a path without a query, such as /webhooks');
}
