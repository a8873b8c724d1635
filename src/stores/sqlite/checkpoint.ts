/** The checkpoint that SQLite makes by itself after a commit, with its errors, which SQLite ignores. */
import type { DatabaseSync } from 'node:sqlite';
import { isFatal, kindOf } from './failures.ts';

/** Pages in the log from which on it is copied into the file: SQLite's default. */
const CHECKPOINT_PAGES = 1_000;

/**
 * Prepares a checkpoint to be made after every commit; it throws when the file can no longer be trusted. SQLite's automatic
 * one would sync again at the next commit and then start the log over, though the system may have lost pages at the sync
 * that failed: those that an earlier checkpoint copied are not copied again.
 */
export function createCheckpoint(database: DatabaseSync): () => void {
  const look = database.prepare('PRAGMA wal_checkpoint(NOOP)');
  const copy = database.prepare('PRAGMA wal_checkpoint(PASSIVE)');
  // An object for each row would have a hidden class of its own: https://github.com/nodejs/node/issues/65799.
  look.setReturnArrays(true);
  return () => {
    const [, pages] = look.get() as unknown as readonly [busy: number, pages: number, copied: number];
    if (pages < CHECKPOINT_PAGES) return;
    try {
      copy.get();
    } catch (error) {
      const kind = kindOf(error);
      // Otherwise, as on a full disk, nothing is lost: the log stays, and the next commit tries again.
      if (kind === undefined || isFatal(kind)) throw error;
    }
  };
}
