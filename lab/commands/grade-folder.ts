/** The output folder of a grading, which stays only if the graded command could be started. */
import { mkdirSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { UsageError } from '../../src/cli/command-line.ts';
import { explainWriteErrors } from '../../src/util/new-file.ts';
import { CannotStart } from '../grade/command.ts';

export interface OutputFolder {
  readonly path: string;
  /** Throws the error. If the command cannot be started, it first removes a new folder, and throws a UsageError. */
  fail(error: unknown): never;
}

/**
 * Makes the folder `given`, or else a new folder such as `plantstore-grade-2026-11-23T13-00-00`. Rejects with a
 * UsageError or a StartupError if there can be none.
 */
export async function openOutputFolder(
  kind: 'grade' | 'client' | 'receiver',
  given: string | undefined,
): Promise<OutputFolder> {
  if (given === '-') throw new UsageError('--output: - is not a folder; write ./- for a folder of this name');
  const path = given ?? `plantstore-${kind}-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}`;
  const opened = await explainWriteErrors(path, () =>
    given === undefined ? makeNewFolder(path) : { path, made: makeFolder(path) },
  );
  return {
    path: opened.path,
    fail(error) {
      if (!(error instanceof CannotStart)) throw error;
      // A new folder contains only an empty file.
      if (opened.made !== undefined) rmSync(opened.made, { recursive: true });
      throw new UsageError(`the command cannot be started: ${error.message}`, { cause: error });
    },
  };
}

/** Another grading may begin in the same second. Its folder has the same name without a number. */
function makeNewFolder(name: string): { readonly path: string; readonly made: string } {
  for (let number = 1; ; number++) {
    const path = number === 1 ? name : `${name}-${number}`;
    try {
      mkdirSync(path);
      return { path, made: path };
    } catch (error) {
      if (!(Error.isError(error) && 'code' in error && error.code === 'EEXIST')) throw error;
    }
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
