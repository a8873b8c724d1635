/** Writes a file that is under its name only once it is whole and on stable storage. */
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdtempDisposableSync,
  openSync,
  renameSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { StartupError } from './errors.ts';

/**
 * Gives a file its name once `write` has made it, at the path that it is given; nothing of it is kept otherwise. Throws a
 * StartupError where something of that name is already, unless it is a file that is to be replaced.
 */
export function writeNewFile(path: string, write: (partial: string) => Promise<void>, replace = false): Promise<void> {
  return writing(path, async () => {
    // lstat also finds a symbolic link whose target does not exist.
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isFile() && !replace) throw alreadyThere(path, '; --force replaces it');
    if (stats !== undefined && !stats.isFile()) throw alreadyThere(path);
    if (existsSync(`${path}-wal`)) throw new StartupError(`${path} is a database in use, and is left as it is`);
    // Removed with all that is in it, such as the files that SQLite puts beside its own.
    using folder = mkdtempDisposableSync(`${path}.partial-`);
    const partial = join(folder.path, 'whole');
    await write(partial);
    sync(partial);
    // Creating a hard link fails where the name exists already; a rename replaces what is there.
    if (replace) renameSync(partial, path);
    else linkSync(partial, path);
    sync(dirname(path));
  });
}

export function alreadyThere(path: string, hint = ''): StartupError {
  return new StartupError(`${path} already exists and is left as it is${hint}`);
}

/** Runs work on a file; what the system says that keeps it from being written is thrown as a StartupError, in one line. */
export async function writing<T>(path: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    if (error.code === 'EEXIST') throw alreadyThere(path);
    // With a letter more, since a name that ends in a slash is that of a folder.
    const folder = dirname(`${path}x`);
    // The system says ENOENT also of a folder that exists and in which nothing can be made, such as /proc.
    const isAbsent = error.code === 'ENOENT' && !existsSync(folder);
    const reason = isAbsent ? `no such folder: ${folder}` : error.message;
    throw new StartupError(`cannot write ${path}: ${reason}`, { cause: error });
  }
}

function sync(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
