/** Owns translating SQLite's result codes, by number and never by text (https://sqlite.org/rescode.html). */
import { StoreFailure } from '../../errors.ts';

const PRIMARY = 0xff;
const BUSY = 5;
const FULL = 13;
const CORRUPT = 11;
const NOTADB = 26;
export const IOERR = 10;
const READONLY = 8;
const CANTOPEN = 14;
/** The file cannot be used now. */
const UNAVAILABLE = new Set([IOERR, READONLY, CANTOPEN]);

/**
 * The log's index could not grow: on a full disk this comes instead of FULL, since the index is mapped into memory and
 * not written (SQLITE_IOERR_SHMSIZE). Nothing was synced yet, so nothing is in doubt.
 */
const IOERR_SHMSIZE = IOERR | (19 << 8);

/** A plant of a store that is not there, though its number was found just now: one of the pages that say so is damaged. */
const CONSTRAINT_FOREIGNKEY = 19 | (3 << 8);

/** Codes that are of another kind than their primary one says. */
const MEANT: Readonly<Record<number, number>> = { [IOERR_SHMSIZE]: FULL, [CONSTRAINT_FOREIGNKEY]: CORRUPT };

/** SQLite says this instead of CANTOPEN to a user who may not write the file either (SQLITE_READONLY_DIRECTORY). */
const READONLY_DIRECTORY = READONLY | (6 << 8);

/** The primary result code of a driver's error, or the one that it stands for; undefined for any other error. */
export function resultCode(error: unknown): number | undefined {
  const code = extendedCode(error);
  if (code === undefined) return undefined;
  return MEANT[code] ?? code & PRIMARY;
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

/** Whether the file can no longer be trusted to be written: a failed sync is never retried, its pages may be lost. */
export function isFatal(code: number | undefined): boolean {
  return code === IOERR || isDamage(code);
}

export function damaged(cause?: unknown): StoreFailure {
  return new StoreFailure(
    'unreachable',
    cause,
    'the store is damaged: run plantstore check and restore a backup',
    true,
  );
}

/** A StoreFailure for what SQLite says, or the error itself when it is a fault of ours. */
export function translate(error: unknown, code = resultCode(error)): unknown {
  if (code === FULL) return new StoreFailure('out-of-space', error);
  if (code === BUSY) return new StoreFailure('unreachable', error, 'the store is locked by another process');
  if (isDamage(code)) return damaged(error);
  if (code !== undefined && UNAVAILABLE.has(code)) return new StoreFailure('unreachable', error);
  return error;
}
