/** The database file: refuses a file that is not ours before SQLite touches it, and opens connections. */
import { closeSync, existsSync, mkdirSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartupError } from '../../errors.ts';
import type { FurtherRows } from '../further-rows.ts';
import { type FailureKind, kindOf } from './failures.ts';
import { APPLICATION_ID, migrate, refuseOther, schemaVersion } from './migrations.ts';
import { BUSY_TIMEOUT_MS, retryWhileBusy } from './transaction.ts';

/** https://sqlite.org/fileformat.html, 1.3. */
const HEADER_BYTES = 100;
const MAGIC = 'SQLite format 3\0';

const DAMAGED = 'it is damaged: restore a backup';
const ANOTHERS_LOG = 'the -wal beside it is the log of another file: move it away, or put that file back';
/** What keeps a file from being used, in words; of any other kind SQLite's own say it. */
const REASONS: Partial<Record<FailureKind, string>> = {
  damaged: DAMAGED,
  locked: 'it is locked by another process',
  full: 'its disk is full',
  // The file itself was opened just before, so it is what SQLite needs beside it.
  'no-file':
    'its log cannot be opened: that needs a writable folder, or its -shm file, and free file descriptors (ulimit -n)',
};

/** Files up to this size are checked whole before use, which takes some 10 ms; larger ones by `plantstore check`. */
const QUICK_CHECK_BYTES = 16 * 2 ** 20;

/** What of the log's file is kept when the log starts over: the rest, as after a long export, is freed. */
const LOG_FILE_BYTES = 64 * 2 ** 20;

/** The log and its index: SQLite puts both beside the file itself, wherever a link to it is. */
export function logFiles(path: string): readonly [log: string, index: string] {
  const file = existsSync(path) ? realpathSync(path) : path;
  return [`${file}-wal`, `${file}-shm`];
}

/** Creates the file or brings it up to date. Throws a StartupError, and touches nothing, when it is not ours or damaged. */
export function prepareFile(path: string, further: readonly FurtherRows[] = []): void {
  usable(path, () => {
    // For writing too: SQLite opens a file that may not be written all the same, and fails the first write.
    if (exists(path, 'r+')) {
      examine(path);
    } else {
      // Only the last folder: Node's recursive mkdir never returns below /proc.
      if (!existsSync(dirname(path))) mkdirSync(dirname(path));
      createPrivate(path);
    }
    using database = openConnection(path);
    migrate(database, further);
  });
}

/**
 * An empty file, which SQLite takes as a new database: its own would be open to all, and this one holds what is known of
 * tokens. What SQLite makes beside it has the same mode. A file that is there is left as it is.
 */
export function createPrivate(path: string): void {
  closeSync(openSync(path, 'a', 0o600));
}

/** A connection whose commits are durable when they return. */
export function openConnection(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  // Of two that turn on the log of a new file at once SQLite refuses one without waiting.
  retryWhileBusy(() => database.exec('PRAGMA journal_mode = WAL'));
  database.exec(`PRAGMA journal_size_limit = ${LOG_FILE_BYTES}`);
  // Without automatic checkpoints: the writer makes them itself, since SQLite ignores their errors.
  database.exec('PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0');
  // SQLite may ignore either setting without an error. Durability rests on both, so they are read back.
  const journal = database.prepare('PRAGMA journal_mode').get()?.['journal_mode'];
  const synchronous = database.prepare('PRAGMA synchronous').get()?.['synchronous'];
  if (journal !== 'wal' || synchronous !== 2) {
    database.close();
    throw new StartupError('its file system does not allow a durable write-ahead log');
  }
  return database;
}

/**
 * Opens a file for commands that only read: its bytes stay as they are, and it need not be writable. Throws a StartupError
 * when there is none of ours.
 */
export function openExisting(path: string): DatabaseSync {
  return usable(path, () => {
    if (!exists(path, 'r')) throw new StartupError('no such file');
    const database = openToRead(path);
    try {
      refuseForeign(database);
      refuseOther(database);
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  });
}

/**
 * Opens a file so that reading leaves nothing changed. Where there is a log, read-only: the last writable connection to
 * close would make a checkpoint. Where there is none, writable: SQLite makes a log even to read, and removes it at the end
 * only if it may write.
 */
export function openToRead(path: string): DatabaseSync {
  return new DatabaseSync(path, { readOnly: existsSync(logFiles(path)[0]), timeout: BUSY_TIMEOUT_MS });
}

/**
 * Looks at a file before SQLite does, which may change what it opens; `mode` is how it is going to be used. Throws a
 * StartupError for what is not a database, and for a log of another file.
 */
function exists(path: string, mode: 'r' | 'r+'): boolean {
  // The log is looked at before the file: a process that makes a log has written the header of its file before.
  const isLogged = (statSync(logFiles(path)[0], { throwIfNoEntry: false })?.size ?? 0) > 0;
  const stats = statSync(path, { throwIfNoEntry: false });
  // Opening a pipe waits until another process opens its other end, and no signal ends that wait.
  if (stats?.isFile() === false) throw new StartupError('it is not a file');
  const header = stats === undefined ? '' : readHeader(path, mode);
  // SQLite would read any log beside the file, even where the header says that it has none (1 at offset 18, as in a
  // backup), and would delete a log beside an empty file.
  if (isLogged && (header === '' || header[18] === '\x01')) throw new StartupError(ANOTHERS_LOG);
  // A start that was cut off can leave an empty file, which holds nothing: it is taken as new.
  if (header !== '' && (header.length < HEADER_BYTES || !header.startsWith(MAGIC))) {
    throw new StartupError('it is not a SQLite database, or its header is damaged');
  }
  return stats !== undefined;
}

/** The first bytes of a file, each as a character. */
function readHeader(path: string, mode: 'r' | 'r+'): string {
  const file = openSync(path, mode);
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    return header.toString('latin1', 0, readSync(file, header));
  } finally {
    closeSync(file);
  }
}

/** Throws a StartupError for a file of another application or a newer version, and for a small one that is damaged. */
export function examine(path: string): void {
  using database = openToRead(path);
  refuseForeign(database);
  schemaVersion(database);
  if (statSync(path).size > QUICK_CHECK_BYTES) return;
  const rows = database.prepare('PRAGMA quick_check(1)').all();
  if (rows.length !== 1 || rows[0]?.['quick_check'] !== 'ok') throw new StartupError(DAMAGED);
}

/** Asks SQLite, since the application id may be in the log only. A cut-off first start left neither it nor tables. */
function refuseForeign(database: DatabaseSync): void {
  // One statement is one moment: another process may be about to make the tables.
  const foreign = database.prepare(
    `SELECT 1 FROM pragma_application_id
     WHERE application_id <> ? AND (application_id <> 0 OR EXISTS (SELECT 1 FROM sqlite_schema))`,
  );
  if (foreign.get(APPLICATION_ID)) throw new StartupError('it is a SQLite database of another application');
}

/** Runs a step of opening the file; what keeps it from that is thrown as a StartupError, in one line that names the file. */
export function usable<T>(path: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    const reason = REASONS[kindOf(error) ?? 'other'] ?? (error instanceof Error ? error.message : error);
    throw new StartupError(`cannot use the database file ${path}: ${reason}`, { cause: error });
  }
}
