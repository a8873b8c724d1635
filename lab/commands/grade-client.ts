/**
 * `plantstore grade client`: runs an HTTP client while things go wrong, and compares what it believes with the store.
 */
import { availableParallelism } from 'node:os';
import { command } from '../../src/cli/command-line.ts';
import { time } from '../../src/cli/options.ts';
import { integer, text, words } from '../../src/cli/values.ts';
import { outputFolder, refuseUnknown, requireCommand } from './grade-options.ts';

export const gradeClient = command({
  name: 'grade client',
  operand: '-- COMMAND…',
  operands: true,
  summary: 'Grades an HTTP client: which failures make it lose, repeat or overwrite a plant',
  options: {
    only: {
      read: words,
      value: 'NAME',
      list: true,
      help: 'Runs only these scenarios. The error for an unknown name lists all names.',
    },
    jobs: {
      read: integer(1, 100),
      value: 'NUMBER',
      help: 'Number of scenarios at the same time. Default: four for each processor core.',
    },
    attemptTimeout: time('1s', 'The longest time of an attempt, which the command gets as PLANTSTORE_TIMEOUT_MS.'),
    timeout: time('30s', 'The longest time that the command may take for a scenario.'),
    output: {
      read: text,
      value: 'FOLDER',
      help: 'Where the files of each scenario go. Default: plantstore-client-TIME.',
    },
    json: {
      read: text,
      value: 'FILE',
      help: 'File for the outcome of every scenario, in JSON, or - for standard output.',
    },
    description: { read: text, value: 'TEXT', help: 'Name, version and configuration of the client, for --json.' },
  },
  async run(config, stdio, _, words) {
    requireCommand(words, 'client', 'grade client');
    const stopped = stdio.stopped();
    // Loaded only here, since no other command needs it.
    const { SCENARIOS } = await import('../grade/client/scenarios.ts');
    const names = SCENARIOS.map(({ name }) => name);
    refuseUnknown('--only', 'scenario', config.only, names);
    const { output = outputFolder('client'), jobs = 4 * availableParallelism(), attemptTimeout, timeout } = config;
    const scenarios = SCENARIOS.filter(({ name }) => config.only?.includes(name) ?? true);
    const grading = { command: words, scenarios, jobs, attemptTimeout, timeout, output };
    const { runClientGrading } = await import('./client-grading.ts');
    return runClientGrading(grading, config, stdio, stopped);
  },
});
