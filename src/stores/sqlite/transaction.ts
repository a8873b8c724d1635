/** Write transactions that take turns with other processes. */
import type { DatabaseSync } from 'node:sqlite';
import { kindOf } from './failures.ts';

/** The longest that a statement waits for a write of another process, in milliseconds. */
export const BUSY_TIMEOUT_MS = 5_000;
/** The pause between two attempts. SQLite's own pauses grow to 100 ms: too long beside a busy process. */
const RETRY_MS = 2;

const never = new Int32Array(new SharedArrayBuffer(4));

/** Repeats work that fails because the file is locked, until BUSY_TIMEOUT_MS have passed. */
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

/** Prepares transactions. All writes of the work are committed durably, or none if the work throws. */
export function createTransaction(database: DatabaseSync): <T>(work: () => T) => T {
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');
  return (work) => {
    // Not a prepared statement: SQLite applies this pragma when it prepares it, not when it runs it.
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
