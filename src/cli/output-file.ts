/**
 * One rule for the output files of all commands:
 * - `-` is standard output, and so is `/dev/stdout`. The command then prints everything else to standard error.
 * - A pipe or a device is written in place, as the shell's `>` does.
 * - Any other path is a file, which is new, or replaced if the command may replace it.
 */
import { writeFile } from 'node:fs/promises';
import { explainWriteErrors } from '../util/new-file.ts';
import type { Stdio } from './command-line.ts';

const STANDARD_OUTPUT: readonly (string | undefined)[] = ['-', '/dev/stdout', '/dev/fd/1', '/proc/self/fd/1'];

export const isStandardOutput = (path: string | undefined): boolean => STANDARD_OUTPUT.includes(path);

/** The streams for everything that a command prints besides its outputs. */
export function besideOutputs(stdio: Stdio, ...paths: readonly (string | undefined)[]): Stdio {
  return paths.some(isStandardOutput) ? { ...stdio, stdout: stdio.stderr } : stdio;
}

/** Writes to a pipe or a device, in place. */
export function writeStream(path: string, data: string | AsyncIterable<string>): Promise<void> {
  return explainWriteErrors(path, () => writeFile(path, data));
}
