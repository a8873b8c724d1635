/** SQL that both engines understand, on a file: reads on a connection of this thread, writes through the batcher. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { SqlRow, Statements } from '../engine.ts';
import { translating } from './failures.ts';
import type { Result, Write } from './writes.ts';

/** Each text is prepared once: there are few. */
export function prepareOnce(database: DatabaseSync): (sql: string) => StatementSync {
  const prepared = new Map<string, StatementSync>();
  return (sql) => {
    const known = prepared.get(sql);
    if (known !== undefined) return known;
    const statement = database.prepare(sql);
    statement.setReadBigInts(true);
    statement.setReturnArrays(true);
    prepared.set(sql, statement);
    return statement;
  };
}

export function sqliteStatements(database: DatabaseSync, commit: (write: Write) => Promise<Result>): Statements {
  const prepared = prepareOnce(database);
  return {
    read: (sql, values = []) => translating(() => prepared(sql).all(...values) as unknown as readonly SqlRow[]),
    write: async (sql, values) => (await commit(['run', sql, values])) as readonly SqlRow[],
  };
}
