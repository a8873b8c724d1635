/** The output folder of a grading, which stays only if the graded command could be started. */
import { mkdirSync, rmSync } from 'node:fs';
import { CannotStart } from '../grade/command.ts';
import { explainWriteErrors } from '../new-file.ts';
import { UsageError } from './command-line.ts';

/** Rejects with a UsageError if the command cannot be started, and with a StartupError if there can be no folder. */
export async function inOutputFolder<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const made = await explainWriteErrors(folder, () => mkdirSync(folder, { recursive: true }));
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof CannotStart)) throw error;
    // A new folder contains only an empty file.
    if (made !== undefined) rmSync(made, { recursive: true });
    throw new UsageError(`the command cannot be started: ${error.message}`, { cause: error });
  }
}
