/** The help, made of the commands' option tables, like docs/options.md. */
import { type Command, flagOf, type Option, type Options, variableOf } from './command-line.ts';
import { columns } from './output.ts';

/** What `plantstore --help` says, and `plantstore token --help` of the commands that begin so. */
export function overview(commands: readonly Command[], args: readonly string[]): string {
  const family = familyOf(commands, args);
  const rows = (family.length > 0 ? family : commands).map(({ name, operand, summary }) => [
    `  ${operand === undefined ? name : `${name} ${operand}`}`,
    summary,
  ]);
  return `Plant Store: a plant store whose running behaviour is its OpenAPI description.

Usage: plantstore <command> [options]

Commands:
${columns(rows)}

plantstore <command> --help shows a command's options, plantstore --version the version.
`;
}

/** What is wrong with a command line that chooses no command. It repeats what looks like one: the rest may be secret. */
export function noCommand(commands: readonly Command[], args: readonly string[]): string {
  const [word] = args;
  if (word === undefined) return 'a command is missing';
  const family = familyOf(commands, args).map(({ name }) => name);
  if (!/^[a-z-]{1,20}$/.test(word)) return 'there is no such command';
  return `there is no command ${JSON.stringify(word)}${family.length > 0 ? `, only ${family.join(', ')}` : ''}`;
}

function familyOf(commands: readonly Command[], [word]: readonly string[]): readonly Command[] {
  return commands.filter(({ name }) => name.startsWith(`${word} `));
}

/** What `plantstore <command> --help` says. */
export function commandHelp({ name, operand, summary, options }: Command): string {
  const rows = Object.entries(options).map(([option, table]) => [`  ${shownFlag(option, table)}`, meaningOf(table)]);
  const names = Object.keys(options);
  const example = names.find((option) => /[A-Z]/.test(option)) ?? names[0] ?? '';
  return `${summary}.

Usage: plantstore ${[name, '[options]', operand].filter(Boolean).join(' ')}

Options. Each can also be set in the environment (--${flagOf(example)} is ${variableOf(example)}); a flag takes precedence:
${columns(rows)}
`;
}

/** A command's options as a Markdown table. */
export function optionsTable(options: Options): string {
  const rows = Object.entries(options).map(([name, option]) => {
    const flag = option.secret ? '(environment only)' : `\`${shownFlag(name, option)}\``;
    const variables = [variableOf(name), ...(option.platform === undefined ? [] : [option.platform])];
    const fallback = option.default === undefined ? '' : `\`${option.default}\``;
    return `| ${flag} | ${variables.map((variable) => `\`${variable}\``).join(', ')} | ${fallback} | ${option.help} |`;
  });
  return ['| flag | environment | default | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

function shownFlag(name: string, option: Option<unknown>): string {
  if (option.value === undefined) return `--${flagOf(name)}`;
  const flag = option.secret ? `${variableOf(name)}=` : `--${flagOf(name)} `;
  return `${flag}${option.value}${option.list ? '…' : ''}`;
}

function meaningOf(option: Option<unknown>): string {
  if (option.default === undefined || option.value === undefined) return option.help;
  const platform = option.platform === undefined ? '' : `, or $${option.platform}`;
  return `${option.help} (default ${option.default}${platform})`;
}
