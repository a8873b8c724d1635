/** The output folder of a grading, which stays only if the graded command could be started. */
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UsageError } from '../../src/cli/command-line.ts';
import { StartupError } from '../../src/errors.ts';
import { takeLock } from '../../src/stores/sqlite/temporary.ts';
import { explainWriteErrors } from '../../src/util/new-file.ts';
import { CannotStart } from '../grade/command.ts';

/** The file in the folder that is locked while a grading uses the folder. A killed grading leaves it unlocked. */
const LOCK = 'plantstore-grading.lock';

/** No other grading can use the folder until it is disposed. */
export interface OutputFolder extends Disposable {
  readonly path: string;
  /**
   * Throws the error, as a UsageError if the command cannot be started. Then it first removes a new folder, unless
   * `hasRuns`: a run has ended, whose files are in the folder.
   */
  fail(error: unknown, hasRuns: boolean): never;
}

/**
 * Makes the folder `given`, or else a new folder such as `plantstore-grade-2026-11-23T13-00-00`. Rejects with a
 * UsageError or a StartupError if there can be none, or if another grading uses it.
 */
export async function openOutputFolder(
  kind: 'grade' | 'client' | 'receiver',
  given: string | undefined,
): Promise<OutputFolder> {
  if (given === '-') throw new UsageError('--output: - is not a folder; write ./- for a folder of this name');
  const name = given ?? `plantstore-${kind}-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}`;
  const { path, made, lock } = await explainWriteErrors(name, () => {
    const opened = given === undefined ? makeNewFolder(name) : { path: name, made: makeFolder(name) };
    return { ...opened, lock: lockFolder(opened.path) };
  });
  return {
    path,
    fail(error, hasRuns) {
      if (!(error instanceof CannotStart)) throw error;
      if (made !== undefined && !hasRuns) rmSync(made, { recursive: true });
      throw new UsageError(`the command cannot be started: ${error.message}`, { cause: error });
    },
    [Symbol.dispose]: lock[Symbol.dispose],
  };
}

function lockFolder(path: string): Disposable {
  const file = join(path, LOCK);
  // SQLite does not explain why it cannot create a file.
  writeFileSync(file, '', { flag: 'a' });
  const lock = takeLock(file);
  if (lock === undefined) throw new StartupError(`another grading uses the folder ${path}; choose another --output`);
  return {
    [Symbol.dispose]() {
      lock.close();
      rmSync(file, { force: true });
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
