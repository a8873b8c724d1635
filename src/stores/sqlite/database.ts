/**
 * Opens connections to the database file, and refuses another program's file before SQLite touches it.
 *
 * - To write: `prepareFile` creates the file or updates its tables, and then `openConnection` opens connections.
 * - To read: `openExisting` checks the file and changes nothing. `openToRead` does the same without any check.
 */
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, readSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartupError } from '../../errors.ts';
import { sync } from '../../util/new-file.ts';
import { explainSystemError } from '../../util/system-error.ts';
import type { EngineOptions } from '../engine.ts';
import { refuseDevelopment } from '../format.ts';
import { type FailureKind, kindOf } from './failures.ts';
import { APPLICATION_ID, formatOf, migrate, refuseOther } from './migrations.ts';
import { BUSY_TIMEOUT_MS, retryWhileBusy } from './transaction.ts';

/** https://sqlite.org/fileformat.html, 1.3. */
const HEADER_BYTES = 100;
const MAGIC = 'SQLite format 3\0';

/** The letters PLNT: the application id of development versions before 1.0.0. */
const DEVELOPMENT_ID = 0x504c4e54;

const DAMAGED = 'it is damaged: restore a backup';
const ANOTHERS_LOG = 'the -wal beside it belongs to another database file: move the -wal away, or put that file back';
const MOUNTED = 'it is mounted without its folder, which must hold the log beside it: mount the folder instead';
/** Messages for kinds of failures. Any other kind has the message of SQLite. */
const REASONS: Partial<Record<FailureKind, string>> = {
  damaged: DAMAGED,
  locked: 'it is locked by another process',
  full: 'its disk is full; free space, or choose another disk',
  io: 'its disk failed, or the file would be larger than this process may write (ulimit -f)',
  // The file itself was opened just before, so a file beside it could not be opened.
  'no-file':
    'its log cannot be opened: SQLite needs a writable folder or the -shm file, and free file descriptors (ulimit -n)',
};

/** In bytes. SQLite allows 512 on Unix (MAX_PATHNAME), of which it keeps 8 for the name of a journal. */
const LONGEST_PATH = 504;

/** Smaller files are checked before use, which takes about 10 ms. `plantstore check` checks larger ones. */
const QUICK_CHECK_BYTES = 16 * 2 ** 20;

/** The size that the log's file keeps when the log starts over. It can be larger after a long export. */
const LOG_FILE_BYTES = 64 * 2 ** 20;

/** The paths of the log and its index. SQLite puts both beside the file itself, not beside a link to it. */
export function logFiles(path: string): readonly [log: string, index: string] {
  const file = existsSync(path) ? realpathSync(path) : path;
  return [`${file}-wal`, `${file}-shm`];
}

/**
 * Creates the file or updates its tables. Throws a StartupError, and changes nothing, for a foreign or damaged file.
 */
export function prepareFile(path: string, onUpgrade?: EngineOptions['onUpgrade']): void {
  explainFileErrors(path, () => {
    // SQLite would also open a read-only file, and only the first write would fail.
    if (inspectFile(path, 'r+')) {
      refuseMounted(realpathSync(path));
      checkContent(path);
    } else {
      if (!existsSync(dirname(path))) createFolder(dirname(path));
      createPrivate(path);
    }
    using database = openConnection(path);
    migrate(database, onUpgrade);
  });
}

/**
 * Throws a StartupError if the file is mounted without its folder, as by `docker run -v FILE:/data/plants.db`. Its log
 * would be lost with the container, and a process that uses the file by another path would not see the log.
 */
function refuseMounted(file: string): void {
  // Linux writes these characters as octal numbers.
  const written = file.replaceAll(/[ \t\n\\]/g, (one) => `\\${one.charCodeAt(0).toString(8).padStart(3, '0')}`);
  if (readMounts().some((line) => line.split(' ')[4] === written)) throw new StartupError(MOUNTED);
}

/** Empty where the mounts are unknown: only Linux has this file, and Node's permission model may forbid it. */
function readMounts(): readonly string[] {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  } catch {
    return [];
  }
}

/** Not recursive: Node's recursive mkdir never returns below /proc. SQLite syncs this folder, but not the one above. */
function createFolder(folder: string): void {
  // Node's permission model forbids to sync a folder, and without that a power cut could take the new folder away.
  if (process.permission !== undefined) {
    throw new StartupError(
      `there is no folder ${folder}; create it first, since Node's permission model forbids fsync`,
    );
  }
  if (!existsSync(dirname(folder))) {
    throw new StartupError(`there is no folder ${dirname(folder)}; create it first, or choose another path`);
  }
  mkdirSync(folder);
  // Windows syncs no folders.
  if (process.platform !== 'win32') sync(dirname(folder));
}

/**
 * Creates an empty file that only its owner can read, since it will contain the hashes of tokens. SQLite takes it for a
 * new database, and gives the same mode to the files beside it. An existing file stays as it is.
 */
export function createPrivate(path: string): void {
  closeSync(openSync(path, 'a', 0o600));
}

/** Opens a connection whose commits are durable when they return. */
export function openConnection(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  // If two connections turn on the log of a new file at the same time, SQLite immediately refuses one of them.
  retryWhileBusy(() => database.exec('PRAGMA journal_mode = WAL'));
  database.exec(`PRAGMA journal_size_limit = ${LOG_FILE_BYTES}`);
  // The writer makes the checkpoints, since SQLite ignores errors of automatic checkpoints.
  database.exec('PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0');
  // SQLite may ignore either setting without an error. Durability depends on both, so they are read back.
  const journal = database.prepare('PRAGMA journal_mode').get()?.['journal_mode'];
  const synchronous = database.prepare('PRAGMA synchronous').get()?.['synchronous'];
  if (journal !== 'wal' || synchronous !== 2) {
    database.close();
    throw new StartupError('its file system does not allow a durable write-ahead log');
  }
  return database;
}

/**
 * Opens a file for commands that only read. The file is not changed and need not be writable. Throws a StartupError if
 * there is no file of this service.
 */
export function openExisting(path: string): DatabaseSync {
  return explainFileErrors(path, () => {
    if (!inspectFile(path, 'r')) throw new StartupError('no such file');
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
 * Opens a file so that reading changes nothing. A file with a log is opened read-only, since the last writable
 * connection makes a checkpoint when it closes. A file without a log is opened writable: SQLite creates a log even to
 * read, and removes it at the end only if it may write.
 */
export function openToRead(path: string): DatabaseSync {
  return new DatabaseSync(path, { readOnly: existsSync(logFiles(path)[0]), timeout: BUSY_TIMEOUT_MS });
}

/**
 * Whether there is a file. Examines it before SQLite opens it, since SQLite may change what it opens. `mode`: how the
 * file will be used. Throws a StartupError if it is not a database, or if the log beside it belongs to another file.
 */
function inspectFile(path: string, mode: 'r' | 'r+'): boolean {
  refuseLongPath(path);
  // The log is examined before the file, since a process writes the header of its file before it creates the log.
  const isLogged = (statSync(logFiles(path)[0], { throwIfNoEntry: false })?.size ?? 0) > 0;
  const stats = statSync(path, { throwIfNoEntry: false });
  // Opening a pipe would wait until another process opens its other end. No signal ends that wait.
  if (stats?.isFile() === false) throw new StartupError('it is not a file');
  const header = stats === undefined ? '' : readHeader(path, mode);
  // SQLite would read any log beside the file, even if the header declares none (1 at offset 18, as in a backup), and
  // would delete a log beside an empty file.
  if (isLogged && (header === '' || header[18] === '\x01')) throw new StartupError(ANOTHERS_LOG);
  // An interrupted start can leave an empty file, which is taken for a new one.
  if (header !== '' && (header.length < HEADER_BYTES || !header.startsWith(MAGIC))) {
    throw new StartupError('it is not a SQLite database, or its header is damaged');
  }
  return stats !== undefined;
}

/** Throws a StartupError if SQLite cannot open the path. SQLite's own error would contain no reason. */
export function refuseLongPath(path: string): void {
  if (process.platform === 'win32') return;
  const bytes = Buffer.byteLength(existsSync(path) ? realpathSync(path) : resolve(path));
  if (bytes <= LONGEST_PATH) return;
  throw new StartupError(
    `its path has ${bytes} bytes, and SQLite opens no path of more than ${LONGEST_PATH}; choose a shorter path`,
  );
}

/** Reads the first bytes of a file, each as one character. */
function readHeader(path: string, mode: 'r' | 'r+'): string {
  const file = openSync(path, mode);
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    return header.toString('latin1', 0, readSync(file, header));
  } finally {
    closeSync(file);
  }
}

/** Throws a StartupError for a file of another application or a newer version, and for a damaged small file. */
export function checkContent(path: string): void {
  using database = openToRead(path);
  refuseForeign(database);
  // Throws if a newer program wrote the tables.
  formatOf(database);
  if (statSync(path).size > QUICK_CHECK_BYTES) return;
  const rows = database.prepare('PRAGMA quick_check(1)').all();
  if (rows.length !== 1 || rows[0]?.['quick_check'] !== 'ok') throw new StartupError(DAMAGED);
}

/**
 * Asks SQLite, since the application id may be only in the log. An interrupted first start leaves neither id nor
 * tables.
 */
function refuseForeign(database: DatabaseSync): void {
  // One statement reads one moment, while another process may be creating the tables.
  const header = database.prepare(
    `SELECT application_id, user_version, EXISTS (SELECT 1 FROM sqlite_schema) AS has_tables
     FROM pragma_application_id, pragma_user_version`,
  );
  const { application_id: id, user_version: format, has_tables: hasTables } = header.get() ?? {};
  if (id === DEVELOPMENT_ID) refuseDevelopment(Number(format));
  if (id === APPLICATION_ID || (id === 0 && hasTables === 0)) return;
  throw new StartupError('it is a SQLite database of another application');
}

/** Runs a step of opening the file. Any error becomes a StartupError of one line that names the file. */
export function explainFileErrors<T>(path: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw new StartupError(`cannot use the database file ${path}: ${reasonOf(error)}`, { cause: error });
  }
}

/** Why a step failed, and what the user can do. */
export function reasonOf(error: unknown): string {
  const message = Error.isError(error) ? error.message : String(error);
  return REASONS[kindOf(error) ?? 'other'] ?? explainSystemError(error) ?? message;
}
