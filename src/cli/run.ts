/** Owns choosing the command, and how every command ends: 0 done, 1 failed, 2 called wrongly. */
import { parseDescription, readDescription } from '../contract/document.ts';
import { StartupError } from '../errors.ts';
import { type Environment, UsageError } from './config.ts';
import { help } from './help.ts';
import { serve } from './serve.ts';

/** What a command has of the world: tests give their own. */
export interface Stdio {
  readonly env: Environment;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
  /** Settles when the command is told to stop. */
  readonly stopped: Promise<void>;
}

const COMMANDS: Readonly<Record<string, (args: readonly string[], stdio: Stdio) => Promise<number>>> = { serve };

/** Runs a command line (without node and script) and resolves to the exit code. */
export async function run(args: readonly string[], stdio: Stdio): Promise<number> {
  try {
    if (args.includes('--help') || args.includes('-h')) {
      stdio.stdout.write(help());
      return 0;
    }
    if (args[0] === '--version') {
      stdio.stdout.write(`${parseDescription(readDescription()).info.version}\n`);
      return 0;
    }
    const command = COMMANDS[args[0] ?? ''];
    if (command === undefined) {
      throw new UsageError(
        args[0] === undefined
          ? 'a command is missing; see plantstore --help'
          : `unknown command ${JSON.stringify(args[0])}; see plantstore --help`,
      );
    }
    return await command(args.slice(1), stdio);
  } catch (error) {
    if (error instanceof UsageError || error instanceof StartupError) {
      stdio.stderr.write(`plantstore: ${error.message}\n`);
      return error instanceof UsageError ? 2 : 1;
    }
    throw error;
  }
}
