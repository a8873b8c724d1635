/** Reads options: flags precede variables, which precede defaults. Messages never repeat a value: it may be secret. */
import { join, relative } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { parseArgs } from 'node:util';
import { nearest } from '../util/nearest.ts';
import { isServiceLink } from './service-links.ts';
import { describeStray } from './stray-characters.ts';

/** Reads the text of an option. Throws an Error with the rule that the text violates. */
export type OptionReader<T> = (text: string) => T;

export interface Option<T> {
  readonly read: OptionReader<T>;
  /** The placeholder for the value in the help. Absent for a flag without a value, which reads `true` or `false`. */
  readonly value?: string;
  readonly help: string;
  /** The default as the user would write it. */
  readonly default?: string;
  /** A variable that platforms set. It is read only if neither the flag nor our own variable is set. */
  readonly platform?: string;
  /** Read only from the environment, since every user of the machine can read a command line. */
  readonly secret?: true;
  /** The option takes all words until the next option. */
  readonly list?: true;
  /** Options that must not be given together with this switch, by flag or by variable. */
  readonly excludes?: readonly string[];
}

/** The keys are names such as `baseUrl`. Flags and variables are derived from them. */
export type Options = Readonly<Record<string, Option<unknown>>>;

/** The values of options. The value of an option without a default may be undefined. */
export type Config<O extends Options> = {
  readonly [Name in keyof O]: O[Name] extends Option<infer T>
    ? O[Name] extends { default: string }
      ? T
      : T | undefined
    : never;
};

/** The options of a configuration: one per member. If a member is never undefined, its option has a default. */
export type OptionsOf<C> = {
  readonly [Name in keyof C]-?: undefined extends C[Name]
    ? Option<Exclude<C[Name], undefined>> & { readonly default?: never }
    : Option<C[Name]> & { readonly default: string };
};

export type Environment = Readonly<Record<string, string | undefined>>;

/** A command's access to the process. Tests pass their own. */
export interface Stdio {
  readonly env: Environment;
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Resolves when the process is told to stop. Only commands that have work to finish call it. */
  stopped(): Promise<void>;
  /** Ends the process immediately, without closing any file. */
  exit(code: number): never;
}

interface Definition<O extends Options> {
  /** One or two words, such as `serve` or `token create`. */
  readonly name: string;
  /** The operand, as the help shows it. Absent if the command takes none. */
  readonly operand?: string;
  /** The command takes any number of operands, such as the words of another command. */
  readonly operands?: true;
  readonly summary: string;
  readonly options: O;
  /** Resolves to the exit code. A UsageError exits with 2, a StartupError or a StoreFailure with 1. */
  run(config: Config<O>, stdio: Stdio, operand: string | undefined, operands: readonly string[]): Promise<number>;
}

/** A command with its options, which reads its own arguments. */
export interface Command extends Omit<Definition<Options>, 'run'> {
  run(args: readonly string[], stdio: Stdio): Promise<number>;
}

export function command<O extends Options>(definition: Definition<O>): Command {
  return {
    ...definition,
    async run(args, stdio) {
      const { config, operands } = readCommandLine(definition, args, stdio.env);
      return definition.run(config, stdio, operands[0], operands);
    },
  };
}

/** The command that runs `plantstore` in the current folder. The package and the executable are found by their name. */
export function program(env: Environment): string {
  if (env['npm_command'] === 'exec') return 'npx plant-store';
  if (!import.meta.filename.endsWith('.ts')) return 'plantstore';
  const path = relative(process.cwd(), join(import.meta.dirname, '../../bin/plantstore'));
  return /^[\w./-]+$/.test(path) ? path : quote(path);
}

/** Quotes a text as one word for any shell. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A mistake in the command line: the command prints the message in one line and exits with 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** For example `base-url` for `baseUrl`. */
export function flagOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** For example PLANTSTORE_BASE_URL for `baseUrl`. */
export function variableOf(name: string): string {
  return `PLANTSTORE_${flagOf(name).toUpperCase().replaceAll('-', '_')}`;
}

/** Throws a UsageError that names the source of the text and the rule that it violates. */
export function readValue<T>(source: string, text: string, read: OptionReader<T>): T {
  try {
    return read(text);
  } catch (error) {
    throw new UsageError(`${source}: ${Error.isError(error) ? error.message : error}`);
  }
}

/** Throws a UsageError that names the first wrong option. `defaults` take precedence over the defaults of the table. */
export function readCommandLine<O extends Options>(
  { name: command, options, operand, operands: takesAny }: Omit<Definition<O>, 'summary' | 'run'>,
  args: readonly string[],
  env: Environment,
  defaults: Partial<Config<O>> = {},
): { readonly config: Config<O>; readonly operands: readonly string[] } {
  const { flags, operands } = readFlags(command, options, args);
  const most = takesAny ? Number.POSITIVE_INFINITY : operand === undefined ? 0 : 1;
  if (operands.length > most) {
    const takes = most === 0 ? 'none' : 'one';
    throw new UsageError(`unexpected argument: the command takes ${takes}; see plantstore ${command} --help`);
  }
  // An unset variable in a script becomes an empty word. As a path that would be the current folder.
  if (operands[0] === '') throw new UsageError(`an argument is empty; see plantstore ${command} --help`);
  // The words of another command are not values of this program.
  if (!takesAny && operands[0] !== undefined)
    refuseStray(`the argument ${operand?.replaceAll(/[[\]]/g, '')}`, operands);
  // Container platforms set variables to the empty text, which means unset.
  const isSet = (variable: string | undefined): variable is string => {
    const value = variable === undefined ? '' : (env[variable] ?? '');
    return value !== '' && !isServiceLink(variable ?? '', value);
  };
  const read = (name: string, option: Option<unknown>, isReplaced = false): unknown => {
    const texts = flags.get(name);
    const variables = isReplaced ? [variableOf(name)] : [variableOf(name), option.platform];
    const variable = texts === undefined ? variables.find(isSet) : undefined;
    const source = variable ?? `--${flagOf(name)}`;
    const given = texts ?? (variable === undefined ? undefined : [env[variable] ?? '']);
    if (given === undefined && Object.hasOwn(defaults, name)) return defaults[name];
    refuseStray(source, given ?? []);
    const text = given?.join(' ') ?? option.default;
    return text === undefined ? undefined : readValue(source, text, option.read);
  };
  const excluding = Object.entries(options).filter(([, { excludes }]) => excludes !== undefined);
  const turnedOn = excluding.filter(([name, option]) => read(name, option) === true);
  // The platform sets its variable for every command. Where a switch replaces the option, nobody needs the variable.
  const replaced = new Set(turnedOn.flatMap(([, { excludes = [] }]) => excludes));
  const values = Object.entries(options).map(([name, option]) => [name, read(name, option, replaced.has(name))]);
  for (const [name, { excludes = [] }] of turnedOn) {
    const other = excludes.find((excluded) => flags.has(excluded) || isSet(variableOf(excluded)));
    if (other === undefined) continue;
    const shown = flags.has(other) ? `--${flagOf(other)}` : variableOf(other);
    throw new UsageError(`${shown} cannot be given with --${flagOf(name)}`);
  }
  return { config: Object.fromEntries(values), operands };
}

/** Throws a UsageError that names the source of a value with a control character or with blanks around it. */
function refuseStray(source: string, values: readonly string[]): void {
  const reason = values.map(describeStray).find((one) => one !== undefined);
  if (reason !== undefined) throw new UsageError(`${source}: ${reason}`);
}

/** Returns the texts of the flags by option name, and the operands. */
function readFlags(command: string, options: Options, args: readonly string[]) {
  const names = new Map(Object.keys(options).map((name) => [flagOf(name), name]));
  const types = Object.entries(options).map(([name, { value }]) => {
    return [flagOf(name), { type: value === undefined ? ('boolean' as const) : ('string' as const) }] as const;
  });
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(types),
    // The messages of Node's strict mode have several lines and may repeat a value.
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const flags = new Map<string, string[]>();
  const operands: string[] = [];
  // The option that takes the next word: --scope plants:read plants:write
  let words = operands;
  for (const token of tokens) {
    if (token.kind === 'option-terminator') words = operands;
    else if (token.kind === 'positional') words.push(token.value);
    else {
      const name = names.get(token.name) ?? '';
      const option = options[name];
      if (option === undefined || option.secret) {
        // The message repeats only what looks like an option: anything else may be secret, or several lines long.
        const shown = /^--?[a-z-]{1,30}$/.test(token.rawName) ? ` ${token.rawName}` : '';
        const shownFlags = [...names].filter(([, name]) => !options[name]?.secret).map(([flag]) => flag);
        const meant = nearest(token.name, shownFlags);
        const guess = shown === '' || meant === undefined ? '' : ` (did you mean --${meant}?)`;
        throw new UsageError(`unknown option${shown}${guess}; see plantstore ${command} --help`);
      }
      const texts = flags.get(name) ?? [];
      if (texts.length > 0 && !option.list) throw new UsageError(`--${token.name} must be given once`);
      const text = option.value === undefined ? (token.value ?? 'true') : token.value;
      if (text === undefined || (token.inlineValue === false && text.startsWith('--'))) {
        throw new UsageError(`--${token.name} needs a value`);
      }
      texts.push(text);
      flags.set(name, texts);
      words = option.list ? texts : operands;
    }
  }
  return { flags, operands };
}
