/** Write transactions that wait fairly for those of other processes. */
import type { DatabaseSync } from 'node:sqlite';
import { kindOf } from './failures.ts';

/** How long a statement waits for another process's write, in milliseconds. */
export const BUSY_TIMEOUT_MS = 5_000;
/** How often a writer tries again. SQLite's own pauses grow to 100 ms, so that it would rarely get in beside a busy process. */
const RETRY_MS = 2;

const never = new Int32Array(new SharedArrayBuffer(4));

/** Repeats work that fails because the file is locked, for as long as a statement would wait. */
export function retryWhileBusy(work: () => void): void {
  const deadline = performance.now() + BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      work();
      return;
    } catch (error) {
      if (kindOf(error) !== 'locked' || performance.now() > deadline) throw error;
      Atomics.wait(never, 0, 0, RETRY_MS);
    }
  }
}

/** Prepares transactions: the work's writes are committed, durably, or none of them when it throws. */
export function createTransaction(database: DatabaseSync): <T>(work: () => T) => T {
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');
  return (work) => {
    // Not prepared: SQLite carries out this pragma when it is prepared, and not again when it is run.
    database.exec('PRAGMA busy_timeout = 0');
    try {
      retryWhileBusy(() => begin.run());
    } finally {
      database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    }
    try {
      const result = work();
      commit.run();
      return result;
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
  };
}
