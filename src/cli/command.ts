/** Owns what a command is: a name, its options, and a function from arguments to an exit code. */
import type { Readable, Writable } from 'node:stream';
import type { Environment } from './config.ts';
import type { OptionTable } from './option.ts';

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

export interface Command {
  /** Words that choose it, such as `serve` or `token create`. */
  readonly name: string;
  /** Its positional arguments, as help shows them. */
  readonly operands?: string;
  readonly summary: string;
  readonly options: OptionTable;
  /** Resolves to the exit code; a UsageError is 2, a StartupError 1, each with one line. */
  run(args: readonly string[], stdio: Stdio): Promise<number>;
}
