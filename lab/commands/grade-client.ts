/**
 * `plantstore grade client`: runs an HTTP client while things go wrong, and compares what it believes with the store.
 */
import { availableParallelism } from 'node:os';
import { command, UsageError } from '../../src/cli/command-line.ts';
import { SWITCH, time } from '../../src/cli/options.ts';
import { columns, print, widthOf } from '../../src/cli/output.ts';
import { integer, text, words } from '../../src/cli/values.ts';
import { outputFolder, refuseUnknown, requireCommand } from './grade-options.ts';
import { outcomesOf } from './outcome-words.ts';

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
      help: 'Runs only these scenarios.',
    },
    list: { ...SWITCH, help: 'Prints the scenarios, each with a sentence, and runs nothing.' },
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
    failOn: {
      read: outcomesOf,
      value: 'OUTCOME',
      list: true,
      help: 'Exits with 3 if a scenario has one of these outcomes, such as ghost,lost,overwritten,wrong-data.',
    },
    baseline: {
      read: text,
      value: 'FILE',
      help: 'An earlier result (--json). Exits with 3 if the outcome of a scenario is worse than in it.',
    },
    description: { read: text, value: 'TEXT', help: 'Name, version and configuration of the client, for --json.' },
  },
  async run(config, stdio, _, words) {
    // Loaded only here, since no other command needs it.
    const { SCENARIOS } = await import('../grade/client/scenarios.ts');
    const names = SCENARIOS.map(({ name }) => name);
    refuseUnknown('--only', 'scenario', config.only, names, 'plantstore grade client --list');
    const { output = outputFolder('client'), jobs = 4 * availableParallelism(), attemptTimeout, timeout } = config;
    const scenarios = SCENARIOS.filter(({ name }) => config.only?.includes(name) ?? true);
    if (config.list) {
      const rows = scenarios.map(({ name, does }) => [name, does]);
      await print(stdio.stdout, `${columns([['SCENARIO', 'WHAT HAPPENS'], ...rows], widthOf(stdio.stdout))}\n`);
      return 0;
    }
    requireCommand(words, 'client', 'grade client');
    const stopped = stdio.stopped();
    const grading = { command: words, scenarios, jobs, attemptTimeout, timeout, output };
    const { runClientGrading } = await import('./client-grading.ts');
    const { readClientRecord } = await import('./client-record.ts');
    const { failOn = [], json, description } = config;
    const baseline = config.baseline === undefined ? undefined : readClientRecord(config.baseline);
    if (baseline?.outcomes.every(({ scenario }) => !scenarios.some(({ name }) => name === scenario)))
      throw new UsageError('--baseline: the result has none of the scenarios that are run now');
    return runClientGrading(grading, { demands: { failOn, baseline }, json, description }, stdio, stopped);
  },
});
