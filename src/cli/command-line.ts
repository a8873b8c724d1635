/** Commands and their options: flags over environment over defaults. No value is ever repeated: it may be a secret. */
import type { Readable, Writable } from 'node:stream';
import { parseArgs } from 'node:util';
import { nearest } from '../nearest.ts';

/** Reads an option's text; throws an Error that says what would be right. */
export type Read<T> = (text: string) => T;

export interface Option<T> {
  readonly read: Read<T>;
  /** What stands for its value in the help; absent for a switch, whose texts are `true` and `false`. */
  readonly value?: string;
  readonly help: string;
  /** As it would be written. */
  readonly default?: string;
  /** A variable that platforms set, which stands in where neither the flag nor ours is given. */
  readonly platform?: string;
  /** Only in the environment: every user of the machine can read a command line. */
  readonly secret?: true;
  /** Takes every word up to the next option. */
  readonly list?: true;
  /** Options that must not be given beside this switch, by flag or by their own variable. */
  readonly excludes?: readonly string[];
}

/** By names such as `baseUrl`, from which flags and variables follow. */
export type Options = Readonly<Record<string, Option<unknown>>>;

/** The values of options; one without a default may be undefined. */
export type Config<O extends Options> = {
  readonly [Name in keyof O]: O[Name] extends Option<infer T>
    ? O[Name] extends { default: string }
      ? T
      : T | undefined
    : never;
};

/** The options that give a configuration: one for each member, with a default exactly where it cannot be undefined. */
export type OptionsOf<C> = {
  readonly [Name in keyof C]-?: undefined extends C[Name]
    ? Option<Exclude<C[Name], undefined>> & { readonly default?: never }
    : Option<C[Name]> & { readonly default: string };
};

export type Environment = Readonly<Record<string, string | undefined>>;

/** What a command has of the world: tests give their own. */
export interface Stdio {
  readonly env: Environment;
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Settles when the command is told to stop. Only a command that has something to finish asks for it. */
  stopped(): Promise<void>;
  /** Ends the process as it stands: nothing is torn down, no file closed. */
  exit(code: number): never;
}

interface Definition<O extends Options> {
  /** Words that choose it, such as `serve` or `token create`. */
  readonly name: string;
  /** Its operand, as the help shows it; absent where it takes none. */
  readonly operand?: string;
  /** Takes any number of operands, such as the words of another command. */
  readonly operands?: true;
  readonly summary: string;
  readonly options: O;
  /** Resolves to the exit code; a UsageError is 2, a StartupError or a StoreFailure 1, each with one line. */
  run(config: Config<O>, stdio: Stdio, operand: string | undefined, operands: readonly string[]): Promise<number>;
}

/** A command of whatever options, which reads its own arguments. */
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

/** The command line is wrong: exit code 2, and the message as one line. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The flag of `baseUrl` is `base-url`. */
export function flagOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The variable of `baseUrl` is PLANTSTORE_BASE_URL. */
export function variableOf(name: string): string {
  return `PLANTSTORE_${flagOf(name).toUpperCase().replaceAll('-', '_')}`;
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
  // As an unset variable of a script leaves it. As a path it would be the folder that the command is started in.
  if (operands[0] === '') throw new UsageError(`an argument is empty; see plantstore ${command} --help`);
  // An empty variable counts as none, as container platforms set it.
  const isSet = (variable: string | undefined) => variable !== undefined && (env[variable] ?? '') !== '';
  const values = Object.entries(options).map(([name, option]) => {
    const variable = [variableOf(name), option.platform].find(isSet);
    const flag = flags.get(name)?.join(' ');
    if (flag === undefined && variable === undefined && Object.hasOwn(defaults, name)) return [name, defaults[name]];
    const text = flag ?? (variable === undefined ? option.default : env[variable]);
    try {
      return [name, text === undefined ? undefined : option.read(text)];
    } catch (error) {
      const source = flag !== undefined || variable === undefined ? `--${flagOf(name)}` : variable;
      throw new UsageError(`${source}: ${error instanceof Error ? error.message : error}`);
    }
  });
  const config = Object.fromEntries(values);
  for (const [name, { excludes = [] }] of Object.entries(options)) {
    const other = excludes.find((other) => flags.has(other) || isSet(variableOf(other)));
    if (config[name] !== true || other === undefined) continue;
    const shown = flags.has(other) ? `--${flagOf(other)}` : variableOf(other);
    throw new UsageError(`${shown} cannot be given with --${flagOf(name)}`);
  }
  return { config, operands };
}

/** The texts of flags by their options' names, and what is no flag. */
function readFlags(command: string, options: Options, args: readonly string[]) {
  const names = new Map(Object.keys(options).map((name) => [flagOf(name), name]));
  const types = Object.entries(options).map(([name, { value }]) => {
    return [flagOf(name), { type: value === undefined ? ('boolean' as const) : ('string' as const) }] as const;
  });
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(types),
    // Node's own messages are several lines long and may repeat a value.
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const flags = new Map<string, string[]>();
  const operands: string[] = [];
  // Where a word that is no flag goes. A list takes those behind it, up to the next option: --scope plants:read plants:write
  let words = operands;
  for (const token of tokens) {
    if (token.kind === 'option-terminator') words = operands;
    else if (token.kind === 'positional') words.push(token.value);
    else {
      const name = names.get(token.name) ?? '';
      const option = options[name];
      if (option === undefined || option.secret) {
        // Repeated only where it looks like a name: anything else behind a dash may be secret, or several lines.
        const shown = /^--?[a-z-]{1,30}$/.test(token.rawName) ? ` ${token.rawName}` : '';
        const flags = [...names].filter(([, name]) => !options[name]?.secret).map(([flag]) => flag);
        const meant = nearest(token.name, flags);
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
