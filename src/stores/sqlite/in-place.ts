/** Owns whether an open database is still the one under its name: nobody finds what is written to a file taken away. */
import { statSync } from 'node:fs';
import { logFiles } from './write-ahead-log.ts';

/**
 * Remembers the files of an open database, and tells whether those under the same names are still the same. SQLite checks
 * this before it writes to the database file (SQLITE_READONLY_DBMOVED), but not before it writes to the log:
 * https://sqlite.org/howtocorrupt.html#unlink has the consequences.
 */
export function watchPlace(path: string): () => boolean {
  const { log, index } = logFiles(path);
  const names = [path, log, index];
  const opened = names.map(inodeOf);
  return () => names.every((name, i) => inodeOf(name) === opened[i]);
}

/** Undefined where nothing is found, whatever the reason: a start would not find the file either. */
function inodeOf(name: string): number | undefined {
  try {
    return statSync(name).ino;
  } catch {
    return undefined;
  }
}
