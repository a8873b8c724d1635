/** The output folder of a grading, which stays only if the graded command could be started. */
import { mkdirSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { UsageError } from '../../src/cli/command-line.ts';
import { explainWriteErrors } from '../../src/util/new-file.ts';
import { CannotStart } from '../grade/command.ts';

/** Rejects with a UsageError if the command cannot be started, and with a StartupError if there can be no folder. */
export async function inOutputFolder<T>(folder: string, work: () => Promise<T>): Promise<T> {
  if (folder === '-') throw new UsageError('--output: - is not a folder; write ./- for a folder of this name');
  const made = await explainWriteErrors(folder, () => makeFolder(folder));
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof CannotStart)) throw error;
    // A new folder contains only an empty file.
    if (made !== undefined) rmSync(made, { recursive: true });
    throw new UsageError(`the command cannot be started: ${error.message}`, { cause: error });
  }
}

/**
 * Returns the first folder that was made. Node's own recursive mkdir never ends where no folder can be made, as in
 * /proc.
 */
function makeFolder(folder: string): string | undefined {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return undefined;
  const made = makeFolder(dirname(folder));
  mkdirSync(folder);
  return made ?? folder;
}
