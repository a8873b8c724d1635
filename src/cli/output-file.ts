/**
 * One rule for the output files of all commands:
 * - `-` is standard output, and so is `/dev/stdout`. The command then prints everything else to standard error.
 * - A pipe or a device is written in place, as the shell's `>` does.
 * - Any other path is a file, which is new, or replaced if the command may replace it.
 */
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { explainWriteErrors, isStream, replaceFile, requireOwnFile } from '../util/new-file.ts';
import type { Stdio } from './command-line.ts';
import { printData } from './output.ts';

const STANDARD_OUTPUT: readonly (string | undefined)[] = ['-', '/dev/stdout', '/dev/fd/1', '/proc/self/fd/1'];

export const isStandardOutput = (path: string | undefined): boolean => STANDARD_OUTPUT.includes(path);

export const isSameOutput = (one: string, other: string): boolean =>
  resolve(one) === resolve(other) || (isStandardOutput(one) && isStandardOutput(other));

/** The streams for everything that a command prints besides its outputs. */
export function besideOutputs(stdio: Stdio, ...paths: readonly (string | undefined)[]): Stdio {
  return paths.some(isStandardOutput) ? { ...stdio, stdout: stdio.stderr } : stdio;
}

/** Rejects with a StartupError if an output cannot be written, or is a file that does not begin with these words. */
export async function requireOutput(path: string, beginning: string): Promise<void> {
  if (!isStandardOutput(path) && !(await isStream(path))) await requireOwnFile(path, beginning);
}

/** Writes a text to an output. An earlier file is replaced. */
export async function writeOutput({ stdout }: Stdio, path: string, text: string): Promise<void> {
  if (isStandardOutput(path)) await printData(stdout, text);
  else if (await isStream(path)) await writeStream(path, text);
  else await replaceFile(path, text);
}

/** Writes to a pipe or a device, in place. */
export function writeStream(path: string, data: string | AsyncIterable<string>): Promise<void> {
  return explainWriteErrors(path, () => writeFile(path, data));
}
