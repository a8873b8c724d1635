/** Owns write transactions, and waiting fairly for those of other processes. */
import type { DatabaseSync } from 'node:sqlite';
import { isBusy } from './failures.ts';

/** How long a statement waits for another process's write, in milliseconds. */
export const BUSY_TIMEOUT_MS = 5_000;
/** How often a writer looks whether the file is free; SQLite's own pauses grow to 100 ms, which a busy neighbour outruns. */
const POLL_MS = 2;

const never = new Int32Array(new SharedArrayBuffer(4));

/** Repeats work that fails because the file is locked, for as long as a statement would wait. */
export function patiently(work: () => void): void {
  const deadline = performance.now() + BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      work();
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
      Atomics.wait(never, 0, 0, POLL_MS);
    }
  }
}

/**
 * Runs work within a write transaction and commits it, or else leaves no trace of it. Waits for another process's write
 * fairly: whoever looks every 2 ms gets in between two long transactions.
 */
export function createTransaction(database: DatabaseSync): <T>(work: () => T) => T {
  // Prepared once: parsing them again for each batch cost more than running them. Not so the pragma: SQLite does what it
  // says when it is prepared, and so nothing when it is run for the first time.
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');

  const beginFairly = () => {
    database.exec('PRAGMA busy_timeout = 0');
    try {
      patiently(() => begin.run());
    } finally {
      database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    }
  };

  return (work) => {
    beginFairly();
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
