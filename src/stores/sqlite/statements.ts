/** SQL that both engines understand, on a file: reads on a connection of this thread, writes through the batcher. */
import type { DatabaseSync } from 'node:sqlite';
import type { SqlRow, Statements } from '../engine.ts';
import { translating } from './failures.ts';
import { type Result, statementRunner, type Write } from './writes.ts';

export function sqliteStatements(database: DatabaseSync, commit: (write: Write) => Promise<Result>): Statements {
  const runSql = statementRunner(database);
  return {
    read: (sql, values = []) => translating(() => runSql(sql, values)),
    write: async (sql, values) => (await commit(['run', sql, values])) as readonly SqlRow[],
  };
}
