/** The help of the commands, made from the tables of their options. */
import { nearest } from '../util/nearest.ts';
import { type Command, flagOf, type Option, variableOf } from './command-line.ts';
import { columns, wrap } from './output.ts';

const MORE =
  'To try it, run plantstore serve --demo. plantstore <command> --help shows the options of a command. ' +
  'plantstore --version shows the version.';

/** The text of `plantstore --help`, or of `plantstore token --help`. Undefined if no command begins with the word. */
export function overview(commands: readonly Command[], args: readonly string[], width: number): string | undefined {
  const family = familyOf(commands, args);
  if (family.length === 0 && args[0]?.startsWith('-') === false) return undefined;
  const rows = (family.length > 0 ? family : commands).map(({ name, operand, summary }) => [
    `  ${operand === undefined ? name : `${name} ${operand}`}`,
    summary,
  ]);
  return `Plant Store: a plant store that does exactly what its description says.

Usage: plantstore <command> [options]

Commands:
${columns(rows, width)}

${wrap(MORE, width).join('\n')}
`;
}

/** The error for an unknown command. It repeats only a word that looks like a command, never a secret. */
export function describeUnknownCommand(commands: readonly Command[], args: readonly string[]): string {
  const [word = '', second = ''] = args;
  if (!/^[a-z-]{1,20}$/.test(word)) return 'no such command';
  const family = familyOf(commands, args).map(({ name }) => name);
  if (family.length > 0) {
    const meant = nearest(`${word} ${second}`, family);
    return meant === undefined ? `${word} needs a second word: ${family.join(', ')}` : `no such command${guess(meant)}`;
  }
  const known = new Map(['--version', '--help'].map((option) => [option, option]));
  // Reversed, so that the first of several commands with the same option is suggested.
  for (const { name, options } of commands.toReversed()) {
    const [begin = ''] = name.split(' ');
    known.set(begin, begin);
    for (const [option, { secret }] of Object.entries(options)) {
      if (!secret) known.set(`--${flagOf(option)}`, `${name} --${flagOf(option)}`);
    }
  }
  return `no such command: ${word}${guess(known.get(nearest(word, known.keys()) ?? ''))}`;
}

function guess(meant: string | undefined): string {
  return meant === undefined ? '' : ` (did you mean plantstore ${meant}?)`;
}

function familyOf(commands: readonly Command[], [word]: readonly string[]): readonly Command[] {
  return commands.filter(({ name }) => name.startsWith(`${word} `));
}

/** The text of `plantstore <command> --help`. */
export function commandHelp({ name, operand, summary, options }: Command, width: number): string {
  const rows = Object.entries(options).map(([option, table]) => [`  ${textOfFlag(option, table)}`, meaningOf(table)]);
  const names = Object.keys(options);
  const example = names.find((option) => /[A-Z]/.test(option)) ?? names[0] ?? '';
  const variable = `--${flagOf(example)} as ${variableOf(example)}`;
  const note = `Options can also be set in the environment, for example ${variable}. A flag takes precedence.`;
  const beginning = `${wrap(`${summary}.`, width).join('\n')}\n\nUsage: plantstore ${name}`;
  if (names.length === 0) return `${[beginning, operand].filter(Boolean).join(' ')}\n`;
  return `${[beginning, '[options]', operand].filter(Boolean).join(' ')}

Options:
${columns(rows, width)}

${wrap(note, width).join('\n')}
`;
}

/** For example `--port NUMBER`, or `PLANTSTORE_TOKEN=TOKEN` for an option that only the environment has. */
export function textOfFlag(name: string, option: Option<unknown>): string {
  if (option.value === undefined) return `--${flagOf(name)}`;
  const flag = option.secret ? `${variableOf(name)}=` : `--${flagOf(name)} `;
  return `${flag}${option.value}${option.list ? '…' : ''}`;
}

function meaningOf(option: Option<unknown>): string {
  if (option.default === undefined || option.value === undefined) return option.help;
  const platform = option.platform === undefined ? '' : `$${option.platform}, else `;
  return `${option.help} Default: ${platform}${option.default}.`;
}
