/** The embedded engine: one SQLite file. */
import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { NoDatabase } from '../../errors.ts';
import { createBatcher } from '../batcher.ts';
import type { Engine, EngineOptions, SqlRow, Statements } from '../engine.ts';
import { storedTokens } from '../stored-tokens.ts';
import { backupTo } from './backup.ts';
import { checkFile } from './check.ts';
import { explainFileErrors, openConnection, openExisting, prepareFile } from './database.ts';
import { sqliteEvents } from './events.ts';
import { translateErrors } from './failures.ts';
import { cursorKey } from './migrations.ts';
import { sqlitePlants } from './plants.ts';
import { createTransaction } from './transaction.ts';
import { prepareWriter } from './writer.ts';
import { type Result, statementRunner, type Write } from './writes.ts';

/** A larger batch would delay the writes behind it. */
const MAX_BATCH = 1_000;

/**
 * The most memory for pages of the file that were read, in KiB. With SQLite's default of 2,000, reading a plant among
 * 100,000 takes a tenth more time within the store. The writer keeps the default, since it gains nothing.
 */
const READ_CACHE_KIB = 16_000;

/** Writes take turns, so no other process can insert a token between the two parts of this statement. */
const INSERT_FIRST_TOKEN = `INSERT INTO tokens (hash, name, store, scopes, created_at, expires_at, revoked_at)
    SELECT $1, $2, $3, $4, $5, $6, $7 WHERE NOT EXISTS (SELECT 1 FROM tokens)`;

/** Opens the file at `path`. Throws a StartupError when it cannot be used. */
export async function openSqlite(path: string, options: EngineOptions): Promise<Engine> {
  const { access = 'plants', create = access !== 'read', queueLimit, random, onFatal, onCommit } = options;
  if (access !== 'read' && !create && isEmpty(path)) throw new NoDatabase(`no such database file: ${path}`);
  using opened = new DisposableStack();
  const database = access === 'read' ? openExisting(path) : openToWrite(path, options.onUpgrade);
  opened.defer(() => database.close());
  const writer = access === 'plants' ? prepareWriter({ path }, onFatal) : undefined;
  const batcher = createBatcher<Write, Result>({
    commit: writer?.commit ?? (() => Promise.reject(new Error('the database was not opened to write plants'))),
    maxBatch: MAX_BATCH,
    maxWaiting: queueLimit,
    lanes: 1,
    timeout: Number.POSITIVE_INFINITY,
    onCommit,
  });
  // A table may be missing. The thread starts only after that check, so that a failure leaves no thread.
  const plants = explainFileErrors(path, () => sqlitePlants(path, database, batcher.add, random));
  writer?.start();
  opened.move();
  const runSql = statementRunner(database);
  const transaction = createTransaction(database);
  const statements: Statements = {
    read: (sql, values = []) => translateErrors(() => runSql(sql, values)),
    async write(sql, values) {
      if (writer === undefined) return translateErrors(() => transaction(() => runSql(sql, values)));
      return (await batcher.add(['run', sql, values])) as readonly SqlRow[];
    },
  };
  return {
    location: path,
    plants,
    tokens: storedTokens(statements, (row) => statements.write(INSERT_FIRST_TOKEN, row)),
    statements,
    events: sqliteEvents(statements),
    get cursorKey() {
      return explainFileErrors(path, () => cursorKey(database));
    },
    waiting: batcher.length,
    check: () => checkFile(database),
    backup: (destination, replace) => backupTo(database, destination, replace),
    async close() {
      await batcher.idle();
      await writer?.close();
      // After a failure the file stays open: closing the last connection would change the log, which the next start
      // needs.
      if (!writer?.hasFailed()) database.close();
    },
  };
}

/** Whether there is no file or an empty file, which an interrupted start can leave. */
function isEmpty(path: string): boolean {
  return explainFileErrors(path, () => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0);
}

/** Opens the connection for all reads. */
function openToWrite(path: string, onUpgrade: EngineOptions['onUpgrade']): DatabaseSync {
  prepareFile(path, onUpgrade);
  return explainFileErrors(path, () => {
    const database = openConnection(path);
    database.exec(`PRAGMA cache_size = -${READ_CACHE_KIB}`);
    return database;
  });
}
