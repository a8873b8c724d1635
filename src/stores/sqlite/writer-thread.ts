/** The writer's thread: it alone waits for the disk, so that reads and refusals go on while a batch is synced. */
import { parentPort, workerData } from 'node:worker_threads';
import { type DatabaseFile, openConnection } from './database.ts';
import { IOERR, isFatal, resultCode } from './failures.ts';
import { watchPlace } from './in-place.ts';
import { createMerger } from './merger.ts';
import { LONGEST_LOG } from './write-ahead-log.ts';
import { createWriter, type Outcome, type Write } from './writes.ts';

export type WriterRequest = readonly Write[] | 'close';

/** What the thread answers to a batch: its outcomes in order, or why none of it was stored. */
type BatchResult =
  | { readonly outcomes: readonly Outcome[]; readonly seconds: number }
  | { readonly error: unknown; readonly code: number | undefined };

export type WriterResponse = BatchResult | { readonly fatal: unknown };

const MISPLACED = 'the database file, its -wal or its -shm was moved, replaced or deleted while in use';

const file = workerData as DatabaseFile;
const database = openConnection(file.path);
database.exec(`PRAGMA wal_autocheckpoint = ${LONGEST_LOG}`);
const write = createWriter(database);
const isInPlace = watchPlace(file.path);
const respond = (response: WriterResponse) => parentPort?.postMessage(response);
const merger = createMerger(database, file, (fatal) => respond({ fatal }));

parentPort?.on('message', (request: WriterRequest) => {
  if (request === 'close') {
    void close();
    return;
  }
  merger.beforeBatch();
  const result = run(request);
  respond(result);
  if ('error' in result && isFatal(result.code)) merger.stop();
  merger.afterBatch();
});

async function close(): Promise<void> {
  await merger.close();
  database.close();
  parentPort?.close();
}

function run(batch: readonly Write[]): BatchResult {
  try {
    const began = performance.now();
    const outcomes = write(batch);
    if (!isInPlace()) return { error: new Error(MISPLACED), code: IOERR };
    return { outcomes, seconds: (performance.now() - began) / 1_000 };
  } catch (error) {
    return { error, code: resultCode(error) };
  }
}
