/** Owns whether an open database is still the one under its name: nobody finds what is written to a file taken away. */
import { statSync } from 'node:fs';
import { logFiles } from './write-ahead-log.ts';

/**
 * For a file that is open, with its log made beside it. SQLite itself looks before it writes to a file
 * (SQLITE_READONLY_DBMOVED), but not before it writes to a log; what may follow is in
 * https://sqlite.org/howtocorrupt.html#unlink.
 */
export function watchPlace(path: string): () => boolean {
  const { log, index } = logFiles(path);
  const names = [path, log, index];
  const opened = names.map(inodeOf);
  return () => names.every((name, i) => inodeOf(name) === opened[i]);
}

/** Undefined where nothing can be found, for whatever reason: a start would not find it either. */
function inodeOf(name: string): number | undefined {
  try {
    return statSync(name).ino;
  } catch {
    return undefined;
  }
}
