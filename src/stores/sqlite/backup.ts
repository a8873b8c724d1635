/** The online backup: a copy of one moment. It gets its name after it is synced and checked. */
import { backup, DatabaseSync } from 'node:sqlite';
import { StartupError } from '../../errors.ts';
import { isPipeOrDevice, writeNewFile } from '../../util/new-file.ts';
import { findDamage } from './check.ts';
import { createPrivate, reasonOf } from './database.ts';
import { kindOf } from './failures.ts';

/**
 * Copies all pages in one step, which does not block writers. Between steps, a commit of another process would restart
 * the copy (https://sqlite.org/c3ref/backup_finish.html). SQLite's -1 for all pages is refused by Node.
 */
const ALL_PAGES = 2 ** 31 - 1;

/** Copies an open database to `destination`. Rejects with a StartupError if it cannot. */
export async function backupTo(source: DatabaseSync, destination: string, replace = false): Promise<void> {
  if (await isPipeOrDevice(destination)) {
    throw new StartupError(`cannot write ${destination}: a backup is a file; name a new file`);
  }
  const write = async (partial: string) => {
    createPrivate(partial);
    try {
      await backup(source, partial, { rate: ALL_PAGES });
      verify(partial);
    } catch (error) {
      if (kindOf(error) === undefined) throw error;
      throw new StartupError(`cannot write ${destination}: ${reasonOf(error)}`, { cause: error });
    }
  };
  await writeNewFile(destination, write, replace);
}

/** Checks the pages of the copy, and moves its log into the file, so that the copy is one file. */
function verify(path: string): void {
  using database = new DatabaseSync(path);
  database.exec('PRAGMA journal_mode = DELETE');
  const [damage] = findDamage(database);
  if (damage !== undefined) throw new StartupError(`the copy is damaged, so it is not kept: ${damage}`);
}
