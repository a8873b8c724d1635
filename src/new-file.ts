/** Writes a file that is under its name only once it is whole and on stable storage. */
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, linkSync, lstatSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { StartupError } from './errors.ts';

/**
 * Throws a StartupError where something of that name is already: nothing is ever overwritten. `partial`: where the file is
 * to be written, beside its name.
 */
export function createNewFile(path: string) {
  // lstat also finds a symbolic link whose target does not exist.
  if (writing(path, () => lstatSync(path, { throwIfNoEntry: false })) !== undefined) throw alreadyThere(path);
  // Random, and not the process id: containers that write to one shared folder are all process 1.
  const partial = `${path}.partial-${randomBytes(4).toString('hex')}`;
  return {
    partial,
    /** Syncs the file and gives it its name. Throws a StartupError if something has taken that name meanwhile. */
    keep(): void {
      sync(partial);
      try {
        // Creating a hard link fails where the name exists already; a rename would replace what is there.
        linkSync(partial, path);
      } catch (error) {
        throw hasCode(error, 'EEXIST') ? alreadyThere(path) : error;
      }
      rmSync(partial);
      sync(dirname(path));
    },
  };
}

/** Removes a file if it exists. Errors are ignored: whatever prevents this prevented the writing too, which reports it. */
export function discard(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // For example, the name is too long.
  }
}

export function alreadyThere(path: string): StartupError {
  return new StartupError(`${path} already exists and is left as it is`);
}

/** Runs a step of writing a file; what keeps it from that is thrown as a StartupError. */
export function writing<T>(path: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

/** What kept a file from being written, in one line that names it. */
export function cannotWrite(path: string, error: unknown): StartupError {
  if (error instanceof StartupError) return error;
  // With a letter more, since a name that ends in a slash is that of a folder.
  const folder = dirname(`${path}x`);
  // The system says ENOENT also of a folder that exists and in which nothing can be made, such as /proc.
  const isAbsent = hasCode(error, 'ENOENT') && !existsSync(folder);
  const reason = error instanceof Error ? error.message : error;
  return new StartupError(`cannot write ${path}: ${isAbsent ? `there is no folder ${folder}` : reason}`, {
    cause: error,
  });
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

function sync(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
