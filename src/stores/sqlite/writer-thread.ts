/** The writer's thread. It receives batches of writes and sends their results, or the error if nothing was stored. */
import { statSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { logFiles, openConnection } from './database.ts';
import { type FailureKind, isFatal, kindOf } from './failures.ts';
import { createBatchWriter, type Result, type Write } from './writes.ts';

export interface WriterData {
  readonly path: string;
}
export type WriterRequest = readonly Write[] | 'close';
export type WriterResponse =
  | { readonly results: readonly Result[] }
  // The error loses SQLite's code on the way between the threads, so its kind is sent too.
  | { readonly error: unknown; readonly kind: FailureKind | undefined };

/** The length of the log, in pages, that causes a checkpoint. It is SQLite's default. */
const CHECKPOINT_PAGES = 1_000;
const MISPLACED = 'the database file, its -wal or its -shm was moved, replaced or deleted while in use';

const { path }: WriterData = workerData;
const database = openConnection(path);
const write = createBatchWriter(database);
const logLength = database.prepare('PRAGMA wal_checkpoint(NOOP)');
const copyLog = database.prepare('PRAGMA wal_checkpoint(PASSIVE)');
// Each row object would have a new hidden class: https://github.com/nodejs/node/issues/65799.
logLength.setReturnArrays(true);
const names = [path, ...logFiles(path)];
const inodes = names.map(inodeOf);

/** Set when a checkpoint failed. After that nothing may be written. */
let failure: WriterResponse | undefined;

parentPort?.on('message', (request: WriterRequest) => {
  if (request === 'close') {
    database.close();
    parentPort?.close();
    return;
  }
  const response = failure ?? writeBatch(request);
  parentPort?.postMessage(response);
  if ('error' in response) return;
  // After the results are sent, since clients wait for them.
  try {
    checkpoint();
  } catch (error) {
    failure = { error, kind: kindOf(error) };
    parentPort?.postMessage(failure);
  }
});

function writeBatch(batch: readonly Write[]): WriterResponse {
  try {
    const results = write(batch);
    return isInPlace() ? { results } : { error: new Error(MISPLACED), kind: 'io' };
  } catch (error) {
    return { error, kind: kindOf(error) };
  }
}

/**
 * Copies a long log into the database file. Unlike SQLite's automatic checkpoint, it throws errors. After a failed sync
 * the system may have lost pages, but SQLite would sync once more at the next commit and then start the log over.
 */
function checkpoint(): void {
  const [, pages] = logLength.get() as unknown as readonly [busy: number, pages: number, copied: number];
  if (pages < CHECKPOINT_PAGES) return;
  try {
    copyLog.get();
  } catch (error) {
    const kind = kindOf(error);
    // After any other error, such as a full disk, nothing is lost: the log stays, and the next commit tries again.
    if (kind === undefined || isFatal(kind)) throw error;
  }
}

/**
 * Whether the paths still name the files that were opened. SQLite checks this before it writes to the database file
 * (SQLITE_READONLY_DBMOVED), but not before it writes to the log: https://sqlite.org/howtocorrupt.html#unlink.
 */
function isInPlace(): boolean {
  return names.every((name, i) => inodeOf(name) === inodes[i]);
}

/** Undefined if there is no file or it cannot be read: the next start would not find it either. */
function inodeOf(name: string): number | undefined {
  try {
    return statSync(name).ino;
  } catch {
    return undefined;
  }
}
