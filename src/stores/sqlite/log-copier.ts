/** Owns copying pages of the write-ahead log into the file without waiting for the disk. */
import { openConnection } from './database.ts';
import { writeAheadLog } from './write-ahead-log.ts';

interface LogCopier {
  /** Marks the end of the log: what is committed from now on is not copied. To be called before a commit. */
  mark(): void;
  /**
   * Copies up to the mark what no reader needs any more, and returns how many pages that were. Undefined where nothing
   * follows the mark, or none is set: then it does not try.
   */
  copy(): number | undefined;
  /** Takes the mark away. */
  release(): void;
  close(): void;
}

/**
 * SQLite itself syncs the file with the last page of the log, whoever copies that, and before that page is copied the log
 * is not begun anew, so nothing in it is lost that is not safe in the file. Here that page is never copied: a read
 * transaction at the mark keeps SQLite from going further, and something has been committed since. So none of the syncs
 * that belong to a copy is needed yet: the log was synced by its commits, and the file is synced later, all at once.
 */
export function openLogCopier(path: string): LogCopier {
  const holder = openConnection(path);
  const copier = openConnection(path);
  const log = writeAheadLog(copier);
  const begin = holder.prepare('BEGIN');
  // A transaction reads nothing, and so holds nothing, before its first statement.
  const look = holder.prepare('SELECT 1 FROM sqlite_schema');
  const rollback = holder.prepare('ROLLBACK');
  let marked: number | undefined;

  return {
    mark() {
      begin.run();
      look.get();
      // Asked after the mark is set: of what another process commits before it, an earlier answer would not know, and the
      // mark would be taken to have something behind it. What comes in between only keeps a piece from being copied.
      marked = log.state().pages;
    },
    copy() {
      if (marked === undefined) return undefined;
      const { pages, merged } = log.state();
      if (pages <= marked) return undefined;
      // Only for so long: a connection that is the last to close merges the log as well, to its end. Not prepared: SQLite
      // does what such a statement says when it is prepared, and not when it is run.
      copier.exec('PRAGMA synchronous = OFF');
      try {
        log.merge();
      } finally {
        copier.exec('PRAGMA synchronous = FULL');
      }
      return log.state().merged - merged;
    },
    release() {
      marked = undefined;
      if (holder.isTransaction) rollback.run();
    },
    close() {
      copier.close();
      holder.close();
    },
  };
}
