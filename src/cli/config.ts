/** Owns reading the configuration: flags over environment over defaults, and one clear line for what is wrong. */
import { parseArgs } from 'node:util';
import { type ConfigOf, type Option, variableOf } from './options.ts';

/** A wrong option or value: the command ends with exit code 2 and this line. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The values of a command's options. Throws a UsageError that names the first wrong one; it repeats no value. */
export function readConfig<Table extends Readonly<Record<string, Option<unknown>>>>(
  table: Table,
  args: readonly string[],
  env: Environment,
): ConfigOf<Table> {
  const flags = readFlags(table, args);
  const values = Object.entries(table).map(([name, option]) => {
    const [source, text] = sourceOf(name, option, flags, env);
    try {
      return [name, text === undefined ? undefined : option.read(text)];
    } catch (error) {
      throw new UsageError(`${source}: ${error instanceof Error ? error.message : error}`);
    }
  });
  return Object.fromEntries(values);
}

/** An empty variable counts as none, as container platforms set it. */
function sourceOf(
  name: string,
  option: Option<unknown>,
  flags: Environment,
  env: Environment,
): [string, string | undefined] {
  const flag = flags[name];
  if (flag !== undefined) return [`--${name}`, flag];
  for (const variable of [variableOf(name), option.platform]) {
    const value = variable === undefined ? undefined : env[variable];
    if (variable !== undefined && value !== undefined && value !== '') return [variable, value];
  }
  return [`--${name}`, option.fallback];
}

function readFlags(table: Readonly<Record<string, Option<unknown>>>, args: readonly string[]): Environment {
  const names = Object.keys(table).filter((name) => table[name]?.secret !== true);
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const, multiple: true as const }]));
  const { values, positionals, tokens } = parse(args, options);
  if (positionals[0] !== undefined) throw new UsageError(`unexpected argument ${JSON.stringify(positionals[0])}`);
  for (const found of tokens) {
    if (found.kind !== 'option') continue;
    if (!names.includes(found.name)) throw new UsageError(`unknown option ${found.rawName}; see plantstore --help`);
    if (found.value === undefined) throw new UsageError(`--${found.name} needs a value`);
  }
  return Object.fromEntries(Object.entries(values).map(([name, given]) => [name, last(name, given)]));
}

function parse(args: readonly string[], options: Record<string, { type: 'string'; multiple: true }>) {
  // Not strict: Node's own messages are several lines long and may repeat a value.
  return parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true });
}

function last(name: string, given: unknown): string {
  if (!Array.isArray(given) || given.length !== 1) throw new UsageError(`--${name} must be given once`);
  return String(given[0]);
}
