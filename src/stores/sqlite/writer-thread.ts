/** The writer's thread: it alone waits for the disk, so that reads and refusals go on while a batch is synced. */
import { parentPort, workerData } from 'node:worker_threads';
import { openConnection } from './database.ts';
import { resultCode } from './failures.ts';
import { createWriter, type Outcome, type Write } from './writes.ts';

/** What the thread answers to a batch: its outcomes in order, or why none of it was stored. */
export type BatchResult =
  | { readonly outcomes: readonly Outcome[]; readonly seconds: number }
  | { readonly error: unknown; readonly code: number | undefined };

const database = openConnection(workerData);
const write = createWriter(database);

parentPort?.on('message', (batch: readonly Write[] | 'close') => {
  if (batch === 'close') {
    database.close();
    parentPort?.close();
    return;
  }
  parentPort?.postMessage(run(batch));
});

function run(batch: readonly Write[]): BatchResult {
  try {
    const began = performance.now();
    const outcomes = write(batch);
    return { outcomes, seconds: (performance.now() - began) / 1_000 };
  } catch (error) {
    return { error, code: resultCode(error) };
  }
}
