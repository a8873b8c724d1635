/** Owns a call's bound: a connection, its statements and their repetitions all end within the time a caller waits. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Rows, Statement } from './connection.ts';
import { ConnectionLost, isConflict, translate } from './failures.ts';
import type { Pool } from './pool.ts';

export type Query = (statement: Statement, values: readonly unknown[]) => Promise<Rows>;

export interface Runner {
  /** Reads, on another connection when one is lost under way. Rejects with a StoreFailure within the bound. */
  read(statement: Statement, values: readonly unknown[]): Promise<Rows>;
  /**
   * Runs single statements, each a transaction of its own; from the start again when the engine rolled one back for a
   * conflict, never when the outcome is unknown. Rejects with a StoreFailure within the bound.
   */
  write<T>(work: (query: Query) => Promise<T>): Promise<T>;
}

const FIRST_PAUSE_MS = 4;
const MAX_PAUSE_MS = 250;

/** `bound`: the longest that a call may take, in milliseconds. */
export function createRunner(pool: Pool, bound: number, random: () => number): Runner {
  const run = async <T>(work: (query: Query) => Promise<T>, again: (error: unknown) => boolean): Promise<T> => {
    const deadline = performance.now() + bound;
    for (let attempt = 0; ; attempt++) {
      try {
        return await pool.use(deadline, (connection) =>
          work((statement, values) => connection.query(statement, values, deadline)),
        );
      } catch (error) {
        const pause = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(attempt, 10)) * (0.5 + random());
        if (!again(error) || performance.now() + pause > deadline) throw translate(error);
        await sleep(pause);
      }
    }
  };
  return {
    read: (statement, values) =>
      run(
        (query) => query(statement, values),
        (error) => error instanceof ConnectionLost || isConflict(error),
      ),
    write: (work) => run(work, isConflict),
  };
}
