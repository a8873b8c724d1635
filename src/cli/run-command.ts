/** Runs the command that the arguments choose. Exit codes: 0 success, 1 failure, 2 wrong command line, or its own. */
import { StartupError, StoreFailure } from '../errors.ts';
import type { FeatureEntry } from '../features/entry.ts';
import { openFileLimit } from '../http/connections/open-files.ts';
import { suggest } from '../util/nearest.ts';
import { version } from '../util/version.generated.ts';
import { type Command, type Stdio, UsageError, variableOf } from './command-line.ts';
import { commandHelp, describeUnknownCommand, overview } from './help.ts';
import { OutputClosed, print, tell, widthOf } from './output.ts';
import { serveWith } from './serve.ts';
import { isServiceLink } from './service-links.ts';

/** What a command line can do. */
export interface Program {
  /** All commands except `serve` and the commands of the features. */
  readonly commands: readonly Command[];
  /** What `serve` can serve in addition to the store, from the innermost feature to the outermost. */
  readonly features: readonly FeatureEntry[];
}

/** Every command of a program, `serve` first. */
export const commandsOf = ({ commands, features }: Program): readonly Command[] => [
  serveWith(features),
  ...features.flatMap((entry) => entry.commands ?? []),
  ...commands,
];

/** Runs a command line, given without the program itself. Resolves to the exit code. */
export async function runCommandLine(args: readonly string[], stdio: Stdio, program: Program): Promise<number> {
  try {
    return await choose(args, stdio, commandsOf(program));
  } catch (error) {
    if (error instanceof OutputClosed) return 1;
    const isExpected = error instanceof StartupError || error instanceof StoreFailure || error instanceof UsageError;
    if (!isExpected) throw error;
    tell(stdio.stderr, `plantstore: ${error instanceof StoreFailure ? error.shown : error.message}`);
    return error instanceof UsageError ? 2 : 1;
  }
}

async function choose(args: readonly string[], stdio: Stdio, commands: readonly Command[]): Promise<number> {
  if (args[0] === '--version') {
    await print(stdio.stdout, `${version}\n`);
    return 0;
  }
  const [isHelp, words] = readHelpRequest(args);
  const command = commands.find(({ name }) => name.split(' ').every((word, i) => words[i] === word));
  const width = widthOf(stdio.stdout);
  const helpOf = () => (command === undefined ? overview(commands, words, width) : commandHelp(command, width));
  const help = isHelp ? helpOf() : undefined;
  if (help !== undefined) {
    await print(stdio.stdout, help);
    return 0;
  }
  if (command === undefined) throw new UsageError(`${describeUnknownCommand(commands, words)}; see plantstore --help`);
  warnOfUnknownVariables(commands, stdio);
  requireUsableProcess();
  return command.run(words.slice(command.name.split(' ').length), stdio);
}

/** The fewest open files with which every command works. */
const LEAST_FILES = 64;

/** Throws a StartupError if a thread could not start, or files could not be opened, at some later point. */
function requireUsableProcess(): void {
  try {
    // Every thread reads the working directory, also if all paths are absolute.
    process.cwd();
  } catch (error) {
    throw new StartupError('the current folder was deleted; change to another folder', { cause: error });
  }
  const limit = openFileLimit();
  if (limit >= LEAST_FILES) return;
  throw new StartupError(
    `this process may open only ${limit} files; raise the limit to at least ${LEAST_FILES} (ulimit -n)`,
  );
}

/** A mistyped limit must not silently fail to apply. The options of all commands may be in one environment. */
function warnOfUnknownVariables(commands: readonly Command[], { env, stderr }: Stdio): void {
  const known = new Set(commands.flatMap(({ options }) => Object.keys(options).map(variableOf)));
  for (const [variable, value = ''] of Object.entries(env)) {
    if (!variable.startsWith('PLANTSTORE_') || known.has(variable) || isServiceLink(variable, value)) continue;
    tell(stderr, `plantstore: ${variable} is ignored, since no option has this name${suggest(variable, known)}`);
  }
}

/** Whether the user wants help (no word, the word help, or an option), and the words of the command. */
function readHelpRequest(args: readonly string[]): readonly [boolean, readonly string[]] {
  const [first, ...rest] = args;
  if (first === undefined) return [true, []];
  if (first === 'help') return [true, rest];
  const end = args.indexOf('--');
  // After -- all words are operands: a file may be called -h.
  const options = end === -1 ? args : args.slice(0, end);
  return [options.includes('--help') || options.includes('-h'), args];
}
