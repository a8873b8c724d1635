/** Writes a file that gets its name only when it is complete and on stable storage. */
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdtempDisposableSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { StartupError } from '../errors.ts';
import { explainSystemError } from './system-error.ts';

/** A file that SQLite puts beside its database. */
const BESIDE_DATABASE = /-(?:wal|shm|journal)$/;

/**
 * Writes a file. `write` gets a temporary path and creates the file there. If it fails, nothing remains. Rejects with a
 * StartupError if `path` exists, unless it is a file and `replace` is true. A file that is replaced keeps its
 * restrictions: nobody can read the new file who could not read the old one.
 */
export function writeNewFile(path: string, write: (partial: string) => Promise<void>, replace = false): Promise<void> {
  return explainWriteErrors(path, async () => {
    if (process.permission !== undefined) {
      throw new StartupError(
        `cannot write ${path}: Node's permission model forbids to sync a file; run this command without --permission`,
      );
    }
    // lstat also finds a symbolic link whose target does not exist.
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isFile() && !replace) throw alreadyThere(path, '--force replaces it');
    if (stats !== undefined && !stats.isFile()) throw alreadyThere(path);
    if (existsSync(`${path}-wal`)) throw new StartupError(`${path} is a database in use and was not changed`);
    const database = path.replace(BESIDE_DATABASE, '');
    if (database !== path && statSync(database, { throwIfNoEntry: false })?.isFile()) {
      throw new StartupError(`${path} belongs to the database ${database} and was not changed; choose another name`);
    }
    // The folder is removed with everything in it, such as the files that SQLite puts beside its own.
    using folder = mkdtempDisposableSync(`${path}.partial-`);
    const partial = join(folder.path, 'whole');
    await write(partial);
    if (stats !== undefined) restrict(partial, stats.mode);
    sync(partial);
    if (replace) renameSync(partial, path);
    else nameNew(partial, path);
    sync(dirname(path));
  });
}

/** Removes the permissions that are not in `mode`. */
function restrict(path: string, mode: number): void {
  const own = statSync(path).mode;
  // FAT refuses to change permissions.
  if ((own & mode) !== own) chmodSync(path, own & mode);
}

/** Gives a file its name. Throws EEXIST if the name exists, where a rename would replace the existing file. */
function nameNew(partial: string, path: string): void {
  try {
    linkSync(partial, path);
  } catch (error) {
    if (Error.isError(error) && 'code' in error && error.code === 'EEXIST') throw error;
    // FAT and some network drives have no hard links. There an empty file reserves the name.
    closeSync(openSync(path, 'wx'));
    try {
      renameSync(partial, path);
    } catch (failure) {
      rmSync(path, { force: true });
      throw failure;
    }
  }
}

/** Whether a path is a pipe or a device. Follows links, which the names of a shell's pipes are. */
export function isPipeOrDevice(path: string): Promise<boolean> {
  return explainWriteErrors(path, () => {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats !== undefined && (stats.isFIFO() || stats.isCharacterDevice() || stats.isBlockDevice());
  });
}

export function alreadyThere(path: string, advice = 'choose another name'): StartupError {
  return new StartupError(`${path} already exists and was not changed; ${advice}`);
}

/** Runs work on a file. Turns an error of the system into a StartupError of one line. */
export async function explainWriteErrors<T>(path: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(Error.isError(error) && 'code' in error)) throw error;
    if (error.code === 'EEXIST') throw alreadyThere(path);
    // The letter x is added because dirname ignores a slash at the end.
    const folder = dirname(`${path}x`);
    // ENOENT also occurs in an existing folder where no file can be created, such as /proc.
    const isAbsent = error.code === 'ENOENT' && !existsSync(folder);
    const reason = isAbsent
      ? `no such folder: ${folder}; create it first`
      : (explainSystemError(error) ?? error.message);
    throw new StartupError(`cannot write ${path}: ${reason}`, { cause: error });
  }
}

/** Runs work that reads a file. Turns an error of the system into a StartupError of one line. */
export function explainReadErrors<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw cannotRead(path, error);
  }
}

export function cannotRead(path: string, error: unknown): StartupError {
  return new StartupError(`cannot read ${path}: ${explainSystemError(error) ?? error}`, { cause: error });
}

/** Waits until a file, or the names in a folder, are on stable storage. */
export function sync(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
