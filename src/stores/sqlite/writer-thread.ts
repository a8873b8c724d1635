/** The writer's thread: receives batches of writes, and sends their results, or why nothing could be stored. */
import { statSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { createCheckpoint } from './checkpoint.ts';
import { logFiles, openConnection } from './database.ts';
import { type FailureKind, kindOf } from './failures.ts';
import { createWriter, type Result, type Write } from './writes.ts';

export type WriterRequest = readonly Write[] | 'close';
export type WriterResponse =
  | { readonly results: readonly Result[] }
  // The kind beside the error, which loses SQLite's code on the way between threads.
  | { readonly error: unknown; readonly kind: FailureKind | undefined };

const MISPLACED = 'the database file, its -wal or its -shm was moved, replaced or deleted while in use';

const path: string = workerData;
const database = openConnection(path);
const write = createWriter(database);
const checkpoint = createCheckpoint(database);
const names = [path, ...logFiles(path)];
const inodes = names.map(inodeOf);

/** Set when a checkpoint has failed: nothing may be written from then on. */
let failure: WriterResponse | undefined;

parentPort?.on('message', (request: WriterRequest) => {
  if (request === 'close') {
    database.close();
    parentPort?.close();
    return;
  }
  const response = failure ?? commit(request);
  parentPort?.postMessage(response);
  if ('error' in response) return;
  // After the response, for which clients wait.
  try {
    checkpoint();
  } catch (error) {
    failure = { error, kind: kindOf(error) };
    parentPort?.postMessage(failure);
  }
});

function commit(batch: readonly Write[]): WriterResponse {
  try {
    const results = write(batch);
    return isInPlace() ? { results } : { error: new Error(MISPLACED), kind: 'io' };
  } catch (error) {
    return { error, kind: kindOf(error) };
  }
}

/**
 * Whether the files under the names are still those that were opened. SQLite checks this before it writes to the database
 * file (SQLITE_READONLY_DBMOVED), but not before it writes to the log: https://sqlite.org/howtocorrupt.html#unlink.
 */
function isInPlace(): boolean {
  return names.every((name, i) => inodeOf(name) === inodes[i]);
}

/** Undefined when nothing can be found, for whatever reason: the next start would not find the file either. */
function inodeOf(name: string): number | undefined {
  try {
    return statSync(name).ino;
  } catch {
    return undefined;
  }
}
