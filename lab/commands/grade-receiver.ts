/** `plantstore grade receiver`: sends right, faulty and repeated messages of webhooks to a receiver. */
import { availableParallelism } from 'node:os';
import { command } from '../../src/cli/command-line.ts';
import { SWITCH, time, withDefault } from '../../src/cli/options.ts';
import { columns, print, widthOf } from '../../src/cli/output.ts';
import { integer, text, words } from '../../src/cli/values.ts';
import { outputFolder, refuseUnknown, requireCommand } from './grade-options.ts';

export const gradeReceiver = command({
  name: 'grade receiver',
  operand: '-- COMMAND…',
  operands: true,
  summary: 'Grades a receiver of webhooks: whether it is fooled, loses an event or stores it twice',
  options: {
    only: { read: words, value: 'NAME', list: true, help: 'Runs only these scenarios.' },
    list: { ...SWITCH, help: 'Prints the scenarios, each with a sentence, and runs nothing.' },
    jobs: {
      read: integer(1, 100),
      value: 'NUMBER',
      help: 'Number of scenarios at the same time. Default: one for each processor core.',
    },
    path: withDefault(pathOf, 'PATH', '/', 'Path of the address to which the messages are sent.'),
    timeout: time('30s', 'The longest time that the command may take to listen on its port.'),
    output: {
      read: text,
      value: 'FOLDER',
      help: 'Where the files of each scenario go. Default: plantstore-receiver-TIME.',
    },
    json: {
      read: text,
      value: 'FILE',
      help: 'File for the outcome of every scenario, in JSON, or - for standard output.',
    },
    description: { read: text, value: 'TEXT', help: 'Name, version and configuration of the receiver, for --json.' },
  },
  async run(config, stdio, _, words) {
    // Loaded only here, since no other command needs it.
    const { SCENARIOS } = await import('../grade/receiver/scenarios.ts');
    const names = SCENARIOS.map(({ name }) => name);
    refuseUnknown('--only', 'scenario', config.only, names, 'plantstore grade receiver --list');
    const { output = outputFolder('receiver'), jobs = availableParallelism(), path, timeout } = config;
    const scenarios = SCENARIOS.filter(({ name }) => config.only?.includes(name) ?? true);
    if (config.list) {
      const rows = scenarios.map(({ name, does }) => [name, does]);
      await print(stdio.stdout, `${columns([['SCENARIO', 'WHAT IS SENT'], ...rows], widthOf(stdio.stdout))}\n`);
      return 0;
    }
    requireCommand(words, 'receiver', 'grade receiver');
    const stopped = stdio.stopped();
    const { runReceiverGrading } = await import('./receiver-grading.ts');
    const grading = { command: words, scenarios, jobs, path, timeout, output };
    return runReceiverGrading(grading, { json: config.json, description: config.description }, stdio, stopped);
  },
});

function pathOf(text: string): string {
  if (/^\/[\w.~/-]*$/.test(text)) return text;
  throw new Error('it must begin with /, such as /webhooks');
}
