/** Classifies errors of SQLite by their result codes, never by their text (https://sqlite.org/rescode.html). */
import { StoreFailure } from '../../errors.ts';

/** `io`: a read, write or sync failed. `no-file`: a file could not be opened, or its log could not be created. */
export type FailureKind = 'locked' | 'read-only' | 'io' | 'damaged' | 'full' | 'no-file' | 'other';

const READONLY = 8;
const IOERR = 10;
const CONSTRAINT = 19;

/** Primary codes, and extended codes that differ in meaning from their primary code, which is their lowest byte. */
const KINDS: ReadonlyMap<number, FailureKind> = new Map([
  [5, 'locked'],
  [READONLY, 'read-only'],
  // READONLY_DIRECTORY: SQLite reports this instead of CANTOPEN if the user may not write the file either.
  [READONLY | (6 << 8), 'no-file'],
  [IOERR, 'io'],
  // IOERR_SHMSIZE: the log's index cannot grow on a full disk. Nothing was synced yet, so nothing is in doubt.
  [IOERR | (19 << 8), 'full'],
  [11, 'damaged'],
  [13, 'full'],
  [14, 'no-file'],
  // CONSTRAINT_FOREIGNKEY: the plant's store was found just before, so a page without it is damaged.
  [CONSTRAINT | (3 << 8), 'damaged'],
  [26, 'damaged'],
]);

/** Undefined for an error that does not come from SQLite. */
export function kindOf(error: unknown): FailureKind | undefined {
  if (!(Error.isError(error) && 'errcode' in error && typeof error.errcode === 'number')) return undefined;
  return KINDS.get(error.errcode) ?? KINDS.get(error.errcode & 0xff) ?? 'other';
}

/** Whether the file must not be written any more. A failed sync is never retried, since pages may be lost. */
export function isFatal(kind: FailureKind | undefined): boolean {
  return kind === 'io' || kind === 'damaged';
}

export function damagedFailure(cause?: unknown): StoreFailure {
  const message = 'the store is damaged: run plantstore check and restore a backup';
  return new StoreFailure('unreachable', cause, message, true);
}

/** Returns the StoreFailure for an error of SQLite, or the error itself if the store did not fail. */
export function translate(error: unknown, kind = kindOf(error)): unknown {
  if (kind === undefined || kind === 'other') return error;
  if (kind === 'damaged') return damagedFailure(error);
  if (kind === 'full') return new StoreFailure('out_of_space', error);
  if (kind === 'locked') return new StoreFailure('unreachable', error, 'the store is locked by another process');
  return new StoreFailure('unreachable', error);
}

export async function translateErrors<T>(work: () => T): Promise<T> {
  try {
    return work();
  } catch (error) {
    throw translate(error);
  }
}
