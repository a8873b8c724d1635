/** Owns the help: made of the commands' option tables, like the README's table. */
import type { Command } from './command.ts';
import { flagOf, type Option, type OptionTable, variableOf } from './option.ts';

/** What `plantstore --help` says, and `plantstore token --help` of the commands that begin so. */
export function overview(commands: readonly Command[], args: readonly string[]): string {
  const family = familyOf(commands, args);
  const rows = (family.length > 0 ? family : commands).map(
    ({ name, operands, summary }) => [operands ? `${name} ${operands}` : name, summary] as const,
  );
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
export function commandHelp({ name, operands, summary, options }: Command): string {
  const rows = Object.entries(options).map(([option, table]) => [shownFlag(option, table), meaningOf(table)] as const);
  const names = Object.keys(options);
  const example = names.find((option) => /[A-Z]/.test(option)) ?? names[0] ?? '';
  return `${summary}.

Usage: plantstore ${[name, '[options]', operands].filter(Boolean).join(' ')}

Options. Each can also be set in the environment (--${flagOf(example)} is ${variableOf(example)}); a flag takes precedence:
${columns(rows)}
`;
}

/** A command's options as a Markdown table. */
export function optionsTable(options: OptionTable): string {
  const rows = Object.entries(options).map(([name, option]) => {
    const flag = option.secret === true ? '(environment only)' : `\`${shownFlag(name, option)}\``;
    const variables = [variableOf(name), ...(option.platform === undefined ? [] : [option.platform])];
    const fallback = option.fallback === undefined ? '' : `\`${option.fallback}\``;
    return `| ${flag} | ${variables.map((variable) => `\`${variable}\``).join(', ')} | ${fallback} | ${option.help} |`;
  });
  return ['| flag | environment | default | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

function shownFlag(name: string, option: Option<unknown>): string {
  if (option.takes === 'nothing') return `--${flagOf(name)}`;
  const flag = option.secret === true ? `${variableOf(name)}=` : `--${flagOf(name)} `;
  return `${flag}${option.value}${option.takes === 'list' ? '…' : ''}`;
}

function meaningOf(option: Option<unknown>): string {
  if (option.fallback === undefined || option.takes === 'nothing') return option.help;
  const platform = option.platform === undefined ? '' : `, or $${option.platform}`;
  return `${option.help} (default ${option.fallback}${platform})`;
}

function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n');
}
