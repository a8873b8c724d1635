/** Values with line ends, blanks around them, control characters or quotes: refused by name, and never printed. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { PROGRAM } from '../../lab/program.ts';
import { variableOf } from '../../src/cli/command-line.ts';
import { commandsOf } from '../../src/cli/run-command.ts';
import { createDirectory } from '../harness/directory.ts';
import { refusedWith, runCommand, runHere, SOURCES } from '../harness/process.ts';

const STRAY = [
  ['plants\n', 'it ends with a line feed (U+000A)'],
  ['plants\r', 'it ends with a carriage return (U+000D)'],
  ['plants\r\n', 'it ends with a line feed (U+000A)'],
  ['\tplants', 'it begins with a tab (U+0009)'],
  [' plants', 'it begins with a blank (U+0020)'],
  ['plants ', 'it ends with a blank (U+0020)'],
  ['plants\u00a0', 'it ends with a blank (U+00A0)'],
  ['\ufeffplants', 'it begins with a blank (U+FEFF)'],
  ['plants\u200b', 'it ends with a blank (U+200B)'],
  [' ', 'it ends with a blank (U+0020)'],
  ['pla\u001b[2Jnts', 'it contains a control character (U+001B)'],
  ['pla\u0085nts', 'it contains a control character (U+0085)'],
  ['pla\u2028nts', 'it contains a control character (U+2028)'],
  ['pla\u202ents', 'it contains a control character (U+202E)'],
  ['pla\nnts', 'it contains a line feed (U+000A)'],
  ['pl\ufffdnts', 'it is not UTF-8'],
  ['"plants"', 'it is in quotes'],
  ["'plants'", 'it is in quotes'],
] as const;

/** Asserts one line of printable characters that has the reason, but not the value. */
function refused(finished: Parameters<typeof refusedWith>[0], source: string, reason: string) {
  refusedWith(finished, 2, /^plantstore: /);
  assert.ok(finished.stderr.startsWith(`plantstore: ${source}: ${reason}`), finished.stderr);
  assert.match(finished.stderr, /^[\x20-\x7e]+\n$/);
  assert.doesNotMatch(finished.stderr, /\bplants\b|\bnts\b/);
}

test('every option of every command refuses such a value from its variables, and names the variable', async () => {
  for (const { name, options } of commandsOf(PROGRAM)) {
    for (const [option, { platform }] of Object.entries(options)) {
      for (const variable of [variableOf(option), ...(platform === undefined ? [] : [platform])]) {
        for (const [value, reason] of STRAY) {
          refused(await runHere(name.split(' '), { [variable]: value }), variable, reason);
        }
      }
    }
  }
});

test('every option of serve refuses such a value from its flag, and names the flag', async () => {
  for (const [value, reason] of STRAY) {
    refused(await runHere(['serve', '--jwt-audience', value]), '--jwt-audience', reason);
    refused(await runHere(['serve', `--reuse-port=${value}`]), '--reuse-port', reason);
    refused(await runHere(['serve', '--trust-proxy', '10.0.0.1', value]), '--trust-proxy', reason);
  }
});

test('the argument of a command is refused likewise, and no file is made', async () => {
  for (const [value, reason] of STRAY) {
    refused(await runHere(['backup', value]), 'the argument DEST', reason);
    refused(await runHere(['import', value]), 'the argument FILE|-', reason);
  }
});

test('the words of another command may have any characters', async () => {
  refusedWith(await runHere(['grade', '--tier', 'x', '--', 'sh', '-c', 'echo\n "a" \n']), 2, /^(?!.*U\+000A)/);
});

test('a value that was read from a file with a line end creates no second database', async () => {
  using directory = createDirectory();
  const program = { ...SOURCES, cwd: directory.at('.') };
  for (const variable of ['PLANTSTORE_DATABASE', 'DATABASE_URL']) {
    const finished = await runCommand(['token', 'create', '--create'], { [variable]: 'sqlite:d.db\r' }, program);
    refused(finished, variable, 'it ends with a carriage return (U+000D)');
  }
  // Node decodes what is not UTF-8 to U+FFFD.
  const script = 'PLANTSTORE_DATABASE=$(printf "sqlite:d\\377.db") exec "$0" token create --create';
  const shell = { command: ['/bin/sh', '-c', script, SOURCES.command[0]] as const, cwd: program.cwd };
  refused(await runCommand([], {}, shell), 'PLANTSTORE_DATABASE', 'it is not UTF-8');
  assert.deepEqual(readdirSync(program.cwd), []);
});

test('a blank and a quote within a value, and a path of any script, are kept', async () => {
  using directory = createDirectory();
  for (const name of ["Ana's plants.db", 'سبزه\u200cها.db', '植物 "1".db']) {
    const finished = await runHere(['token', 'create', '--create', '--database', `sqlite:${directory.at(name)}`]);
    assert.equal(finished.code, 0, finished.stderr);
    assert.ok(readdirSync(directory.at('.')).includes(name));
  }
});
