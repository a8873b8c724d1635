/** The writer's thread: it alone waits for the disk, so that reads and refusals go on while a batch is synced. */
import { parentPort, workerData } from 'node:worker_threads';
import { openConnection } from './database.ts';
import { IOERR, resultCode } from './failures.ts';
import { watchPlace } from './in-place.ts';
import { type LogState, type MergeResult, writeAheadLog } from './write-ahead-log.ts';
import { createWriter, type Outcome, type Write } from './writes.ts';

export type WriterRequest = readonly Write[] | 'merge' | 'close';

/** What the thread answers to a batch: its outcomes in order, or why none of it was stored. */
type BatchResult =
  | { readonly outcomes: readonly Outcome[]; readonly seconds: number; readonly log: LogState }
  | { readonly error: unknown; readonly code: number | undefined };

export type WriterResponse = BatchResult | { readonly merge: MergeResult };

/** From this length on, 64 MiB, the merger is late or absent, and SQLite merges the log within the writer's commit. */
const LONGEST_LOG_PAGES = 16_000;

const MISPLACED = 'the database file, its -wal or its -shm was moved, replaced or deleted while in use';

const database = openConnection(workerData);
database.exec(`PRAGMA wal_autocheckpoint = ${LONGEST_LOG_PAGES}`);
const write = createWriter(database);
const log = writeAheadLog(database);
const isInPlace = watchPlace(workerData);

parentPort?.on('message', (request: WriterRequest) => {
  if (request === 'close') {
    database.close();
    parentPort?.close();
    return;
  }
  const response: WriterResponse = request === 'merge' ? { merge: log.restart() } : run(request);
  parentPort?.postMessage(response);
});

function run(batch: readonly Write[]): BatchResult {
  try {
    const began = performance.now();
    const outcomes = write(batch);
    if (!isInPlace()) return { error: new Error(MISPLACED), code: IOERR };
    return { outcomes, seconds: (performance.now() - began) / 1_000, log: log.state() };
  } catch (error) {
    return { error, code: resultCode(error) };
  }
}
