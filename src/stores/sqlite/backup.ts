/** The online backup: a copy of one moment, which gets its name once it is synced and checked. */
import { backup, DatabaseSync } from 'node:sqlite';
import { StartupError } from '../../errors.ts';
import { writeNewFile } from '../../new-file.ts';
import { findDamage } from './check.ts';
import { createPrivate } from './database.ts';

/**
 * All pages in one step: it holds one read transaction, which a write-ahead log lets pass all writers. In several steps
 * every commit of another process would begin the copy anew (https://sqlite.org/c3ref/backup_finish.html). Node refuses
 * SQLite's own -1 for it.
 */
const ALL_PAGES = 2 ** 31 - 1;

/** Copies an open database to `destination`. Throws a StartupError that says why it cannot. */
export function backupTo(source: DatabaseSync, destination: string, replace = false): Promise<void> {
  const write = async (partial: string) => {
    createPrivate(partial);
    await backup(source, partial, { rate: ALL_PAGES });
    verify(partial);
  };
  return writeNewFile(destination, write, replace);
}

/** The copy's own pages are read back and checked, and its log is folded in: what is kept is one whole file. */
function verify(path: string): void {
  using database = new DatabaseSync(path);
  database.exec('PRAGMA journal_mode = DELETE');
  const [damage] = findDamage(database);
  if (damage !== undefined) throw new StartupError(`the copy is damaged, so it is not kept: ${damage}`);
}
