/** Owns when the write-ahead log is merged into the file: in a thread of its own, so that no write waits for it. */
import type { Worker } from 'node:worker_threads';
import { startThread } from '../../assets.ts';
import type { DatabaseFile } from './database.ts';
import { CANTOPEN, cannotOpen } from './failures.ts';
import { type LogState, type MergeResult, WORTH_MERGING } from './write-ahead-log.ts';

/** The writer itself merges this few pages, between two batches: the log begins anew only once it is merged whole. */
const REMAINDER = 128;

interface Merger {
  /** Is told how long the log is after a commit. */
  committed(log: LogState): void;
  /** No merge is begun from now on: after a failed sync, it would try to sync the same pages again. */
  stop(): void;
  close(): Promise<void>;
}

/**
 * The thread is started when it is first needed. `mergeRest` asks the writer to merge the little that is left;
 * `onError` is told of a merge that failed.
 */
export function createMerger(
  file: DatabaseFile,
  mergeRest: () => void,
  onError: (error: unknown, code: number | undefined) => void,
): Merger {
  let thread: Worker | undefined;
  let merging = false;
  let stopped = false;
  let log: LogState = { pages: 0, merged: 0 };
  /** The log's length from which on a merge is worth while. */
  let from = WORTH_MERGING;

  const start = () => {
    const worker = startThread('stores/sqlite/merge-thread.ts', { workerData: file });
    let error: Error | undefined;
    worker.on('message', merged);
    worker.on('error', (cause: Error) => {
      error = cause;
    });
    worker.on('exit', (code) => {
      thread = undefined;
      if (stopped && error === undefined) return;
      error ??= new Error(`the merger's thread ended with ${code}`);
      merged({ error, code: hasNotStarted(error) ? CANTOPEN : undefined });
    });
    return worker;
  };
  const merge = () => {
    merging = true;
    thread ??= start();
    thread.postMessage('merge');
  };
  const merged = (result: MergeResult) => {
    merging = false;
    if ('error' in result) {
      from = log.pages + WORTH_MERGING;
      onError(result.error, result.code);
      return;
    }
    if (stopped) return;
    // Pages that were written during this merge need another one, which is shorter, and so on.
    const rest = result.pages - result.merged;
    const progress = result.merged > log.merged;
    const slow = rest > (log.pages - log.merged) / 2;
    log = result;
    // Where a reader holds on to an older state, not before there is as much again.
    from = result.pages + WORTH_MERGING;
    if (rest <= REMAINDER || (progress && slow)) mergeRest();
    else if (progress) merge();
  };

  return {
    committed(state) {
      // The log has begun anew.
      if (state.pages < log.pages) from = WORTH_MERGING;
      if (merging) return;
      log = state;
      if (state.pages >= from) merge();
    },
    stop() {
      stopped = true;
    },
    async close() {
      stopped = true;
      if (thread === undefined) return;
      const exit = new Promise((resolve) => thread?.once('exit', resolve));
      thread.postMessage('close');
      await exit;
    },
  };
}

/** Where the process has no file descriptor left, or its code was deleted, as that of an older release may be. */
const NOT_STARTED = new Set(['ERR_WORKER_INIT_FAILED', 'MODULE_NOT_FOUND', 'ERR_MODULE_NOT_FOUND']);

/** Whether the thread failed to start: nothing was synced yet, and a later attempt may succeed. */
function hasNotStarted(error: Error): boolean {
  return cannotOpen(error) || ('code' in error && NOT_STARTED.has(String(error.code)));
}
