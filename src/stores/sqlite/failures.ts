/** Translates SQLite's result codes, by number and never by text (https://sqlite.org/rescode.html). */
import { StoreFailure } from '../../errors.ts';

const BUSY = 5;
const READONLY = 8;
export const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const CONSTRAINT = 19;
const NOTADB = 26;
/** The file cannot be used now. */
const UNAVAILABLE = new Set([IOERR, READONLY, CANTOPEN]);

/** SQLite says this instead of CANTOPEN to a user who may not write the file either. */
const READONLY_DIRECTORY = READONLY | (6 << 8);
const IOERR_SHMSIZE = IOERR | (19 << 8);
const CONSTRAINT_FOREIGNKEY = CONSTRAINT | (3 << 8);

/** Extended codes that mean something else than their primary code, which is the lowest byte. */
const MEANINGS = new Map([
  // The log's index is mapped into memory: on a full disk it cannot grow. Nothing was synced yet, so nothing is in doubt.
  [IOERR_SHMSIZE, FULL],
  // A plant of a store that does not exist, though its number was found just now: a page that says so is damaged.
  [CONSTRAINT_FOREIGNKEY, CORRUPT],
]);

/** The primary result code of a driver's error, or the one that it means; undefined for any other error. */
export function resultCode(error: unknown): number | undefined {
  const code = extendedCode(error);
  return code === undefined ? undefined : (MEANINGS.get(code) ?? code & 0xff);
}

function extendedCode(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : undefined;
}

export function isDamage(code: number | undefined): boolean {
  return code === NOTADB || code === CORRUPT;
}

export function isBusy(error: unknown): boolean {
  return resultCode(error) === BUSY;
}

export function isFull(error: unknown): boolean {
  return resultCode(error) === FULL;
}

/** Whether a file could not be opened, or the log that it needs could not be made beside it. */
export function cannotOpen(error: unknown): boolean {
  return resultCode(error) === CANTOPEN || extendedCode(error) === READONLY_DIRECTORY;
}

/** Whether the file must not be written any more: a failed sync is never retried, since pages may be lost. */
export function isFatal(code: number | undefined): boolean {
  return code === IOERR || isDamage(code);
}

export function damaged(cause?: unknown): StoreFailure {
  const message = 'the store is damaged: run plantstore check and restore a backup';
  return new StoreFailure('unreachable', cause, message, true);
}

/** The StoreFailure for an error of SQLite, or the error itself when it is no failure of the store. */
export function translate(error: unknown, code = resultCode(error)): unknown {
  if (code === FULL) return new StoreFailure('out-of-space', error);
  if (code === BUSY) return new StoreFailure('unreachable', error, 'the store is locked by another process');
  if (isDamage(code)) return damaged(error);
  if (code !== undefined && UNAVAILABLE.has(code)) return new StoreFailure('unreachable', error);
  return error;
}
