/** Owns reading the configuration: flags over environment over defaults, and one clear line for what is wrong. */
import { parseArgs } from 'node:util';
import { type ConfigOf, flagOf, type Option, type OptionTable, variableOf } from './option.ts';

/** A wrong option or value: the command ends with exit code 2 and this line. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The values of a command's options. Throws a UsageError that names the first wrong one; it repeats no value. */
export function readConfig<Table extends OptionTable>(
  table: Table,
  args: readonly string[],
  env: Environment,
): ConfigOf<Table> {
  return readCommandLine(table, args, env, 0).config;
}

/** As readConfig, for a command that takes up to so many operands. */
export function readCommandLine<Table extends OptionTable>(
  table: Table,
  args: readonly string[],
  env: Environment,
  most: number,
): { readonly config: ConfigOf<Table>; readonly operands: readonly string[] } {
  const { flags, operands } = readFlags(table, args);
  if (operands.length > most) throw new UsageError(tooMany(most));
  // As an unset variable of a script leaves it. As a path it would be the folder that the command is started in.
  if (operands.includes('')) throw new UsageError('an argument is empty; see plantstore --help');
  const values = Object.entries(table).map(([name, option]) => {
    const [source, text] = sourceOf(name, option, flags, env);
    try {
      return [name, text === undefined ? undefined : option.read(text)];
    } catch (error) {
      throw new UsageError(`${source}: ${error instanceof Error ? error.message : error}`);
    }
  });
  return { config: Object.fromEntries(values), operands };
}

/** Does not repeat the argument: it may be a secret in the wrong place, such as a token or a database URL. */
function tooMany(most: number): string {
  return `unexpected argument: the command takes ${most === 0 ? 'none' : 'one'}; see plantstore --help`;
}

/** An empty variable counts as none, as container platforms set it. */
function sourceOf(
  name: string,
  option: Option<unknown>,
  flags: Environment,
  env: Environment,
): [string, string | undefined] {
  const flag = flags[name];
  if (flag !== undefined) return [`--${flagOf(name)}`, flag];
  for (const variable of [variableOf(name), option.platform]) {
    const value = variable === undefined ? undefined : env[variable];
    if (variable !== undefined && value !== undefined && value !== '') return [variable, value];
  }
  return [`--${flagOf(name)}`, option.fallback];
}

/** The flag, repeated only where it looks like a name: anything else behind a dash may be secret, or several lines. */
function nameOf(flag: string): string {
  return /^--?[a-z-]{1,30}$/.test(flag) ? ` ${flag}` : '';
}

interface CommandLine {
  readonly flags: Environment;
  readonly operands: readonly string[];
}

function readFlags(table: OptionTable, args: readonly string[]): CommandLine {
  const flags: Record<string, string> = {};
  const names = new Map(Object.keys(table).map((name) => [flagOf(name), name]));
  const operands: string[] = [];
  // A list takes the words behind it, up to the next option: --scope plants:read plants:write
  let list: string | undefined;
  for (const found of parse(table, args)) {
    if (found.kind === 'option-terminator') list = undefined;
    else if (found.kind === 'positional') {
      if (list === undefined) operands.push(found.value);
      else flags[list] += ` ${found.value}`;
    } else {
      const name = names.get(found.name);
      const option = name === undefined ? undefined : table[name];
      if (name === undefined || option === undefined || option.secret === true) {
        throw new UsageError(`unknown option${nameOf(found.rawName)}; see plantstore --help`);
      }
      const isList = option.takes === 'list';
      if (flags[name] !== undefined && !isList) throw new UsageError(`--${found.name} must be given once`);
      const value = givenValue(found, option);
      flags[name] = flags[name] === undefined ? value : `${flags[name]} ${value}`;
      list = isList ? name : undefined;
    }
  }
  return { flags, operands };
}

function givenValue(
  { name, value, inlineValue }: { name: string; value: string | undefined; inlineValue: boolean | undefined },
  option: Option<unknown>,
): string {
  if (option.takes === 'nothing') return value ?? 'true';
  if (value === undefined || (inlineValue === false && value.startsWith('--'))) {
    throw new UsageError(`--${name} needs a value`);
  }
  return value;
}

function parse(table: OptionTable, args: readonly string[]) {
  const options = Object.fromEntries(
    Object.entries(table).map(([name, { takes }]) => [
      flagOf(name),
      { type: takes === 'nothing' ? ('boolean' as const) : ('string' as const) },
    ]),
  );
  // Not strict: Node's own messages are several lines long and may repeat a value.
  return parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true }).tokens;
}
