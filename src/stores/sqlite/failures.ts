/** What SQLite's result codes mean here, by number and never by text (https://sqlite.org/rescode.html). */
import { StoreFailure } from '../../errors.ts';

/** `io`: a read, write or sync failed. `no-file`: a file could not be opened, or no log made beside it. */
export type FailureKind = 'locked' | 'read-only' | 'io' | 'damaged' | 'full' | 'no-file' | 'other';

const READONLY = 8;
const IOERR = 10;
const CONSTRAINT = 19;

/** Primary codes, and the extended ones that mean something else than their primary code, which is the lowest byte. */
const KINDS: ReadonlyMap<number, FailureKind> = new Map([
  [5, 'locked'],
  [READONLY, 'read-only'],
  // READONLY_DIRECTORY, instead of CANTOPEN, to a user who may not write the file either.
  [READONLY | (6 << 8), 'no-file'],
  [IOERR, 'io'],
  // IOERR_SHMSIZE: on a full disk the log's index cannot grow. Nothing was synced yet, so nothing is in doubt.
  [IOERR | (19 << 8), 'full'],
  [11, 'damaged'],
  [13, 'full'],
  [14, 'no-file'],
  // CONSTRAINT_FOREIGNKEY: the plant's store was found just now, so a page that says there is none is damaged.
  [CONSTRAINT | (3 << 8), 'damaged'],
  [26, 'damaged'],
]);

/** Undefined for what is no error of SQLite. */
export function kindOf(error: unknown): FailureKind | undefined {
  if (!(error instanceof Error && 'errcode' in error && typeof error.errcode === 'number')) return undefined;
  return KINDS.get(error.errcode) ?? KINDS.get(error.errcode & 0xff) ?? 'other';
}

/** Whether the file must not be written any more: a failed sync is never retried, since pages may be lost. */
export function isFatal(kind: FailureKind | undefined): boolean {
  return kind === 'io' || kind === 'damaged';
}

export function damaged(cause?: unknown): StoreFailure {
  const message = 'the store is damaged: run plantstore check and restore a backup';
  return new StoreFailure('unreachable', cause, message, true);
}

/** The StoreFailure for an error of SQLite, or the error itself when it is no failure of the store. */
export function translate(error: unknown, kind = kindOf(error)): unknown {
  if (kind === undefined || kind === 'other') return error;
  if (kind === 'damaged') return damaged(error);
  if (kind === 'full') return new StoreFailure('out-of-space', error);
  if (kind === 'locked') return new StoreFailure('unreachable', error, 'the store is locked by another process');
  return new StoreFailure('unreachable', error);
}

/** Runs work on the file; its errors are translated. */
export async function translating<T>(work: () => T): Promise<T> {
  try {
    return work();
  } catch (error) {
    throw translate(error);
  }
}
