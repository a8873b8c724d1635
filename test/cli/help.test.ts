import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Option } from '../../src/cli/command-line.ts';
import { flagOf } from '../../src/cli/command-line.ts';
import { commandHelp, noCommand } from '../../src/cli/help.ts';
import { COMMANDS } from '../../src/cli/run.ts';
import { serve } from '../../src/cli/serve.ts';
import { runHere } from '../harness/process.ts';

test('a word that several commands begin with is reported with all of them, and what follows it is not repeated', () => {
  for (const args of [['token'], ['token', 'bogus'], ['token', 'pst_secret'], ['token', '--json']]) {
    const line = 'there is no command "token", only token create, token list, token revoke';
    assert.equal(noCommand(COMMANDS, args), line);
  }
  assert.equal(noCommand(COMMANDS, ['grow']), 'there is no command "grow"');
  assert.equal(noCommand(COMMANDS, ['postgres://u:hunter2@h/d']), 'there is no such command');
  assert.equal(noCommand(COMMANDS, []), 'a command is missing');
});

test("a command's help names no option that it does not take", () => {
  for (const command of COMMANDS) {
    for (const [, option = ''] of commandHelp(command).matchAll(/--([a-z-]+)/g)) {
      assert.ok(Object.keys(command.options).map(flagOf).includes(option), `${command.name}: --${option}`);
    }
  }
});

test("a command's help shows a secret as the variable that it is taken from alone, since no flag takes it", () => {
  const help = commandHelp(serve);
  assert.match(help, /^ {2}PLANTSTORE_TOKEN=TOKEN {2}/m);
  assert.doesNotMatch(help, /--token\b/);
});

test("a command's help names what platforms set in place of its options", () => {
  for (const command of COMMANDS) {
    const platforms = Object.values(command.options).flatMap(({ platform }: Option<unknown>) => platform ?? []);
    for (const platform of platforms) assert.ok(commandHelp(command).includes(`, or $${platform})`), command.name);
  }
});

test('help is asked for by an option, and not by an operand behind --', async () => {
  for (const word of ['-h', '--help']) {
    assert.deepEqual(await runHere(['check', '--', word]), {
      code: 2,
      stdout: '',
      stderr: 'plantstore: unexpected argument: the command takes none; see plantstore --help\n',
    });
    assert.equal((await runHere(['check', word, '--', word])).code, 0);
  }
});
