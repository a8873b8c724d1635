/** Starts the writer's thread. Only that thread waits for the disk, so that reads can continue. */
import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { StoreFailure } from '../../errors.ts';
import { startThread } from '../../util/assets.ts';
import { isFatal, translate } from './failures.ts';
import type { WriterData, WriterRequest, WriterResponse } from './writer-thread.ts';
import type { Result, Write } from './writes.ts';

export interface Writer {
  /** Starts the thread. Must be called before `commit` and `close`. */
  start(): void;
  /** Runs writes as one transaction. Resolves when it is on stable storage. Only one call may be under way. */
  commit(writes: readonly Write[]): Promise<readonly Result[]>;
  /** Whether the file can no longer be trusted. */
  hasFailed(): boolean;
  /** Closes the file. After a failure it only ends the thread. */
  close(): Promise<void>;
}

/** With `node --watch`, Node itself sends the addresses of the modules that the thread imports. */
interface WatchMessage {
  readonly 'watch:import': unknown;
}

/** Calls `onFatal` once if the file can no longer be trusted. From then on every write is rejected. */
export function prepareWriter(workerData: WriterData, onFatal: (cause: unknown) => void): Writer {
  let thread: Worker;
  const send = (request: WriterRequest) => thread.postMessage(request);
  let pending: PromiseWithResolvers<readonly Result[]> | undefined;
  let failure: StoreFailure | undefined;
  let closing = false;

  const fail = (cause: unknown) => {
    if (failure !== undefined) return;
    failure = new StoreFailure('unreachable', cause);
    pending?.reject(failure);
    onFatal(cause);
  };
  const receive = (message: WriterResponse | WatchMessage) => {
    if ('results' in message) pending?.resolve(message.results);
    // A checkpoint can fail without a batch under way.
    else if ('error' in message) {
      pending?.reject(translate(message.error, message.kind));
      if (isFatal(message.kind)) fail(message.error);
    }
  };

  return {
    start() {
      thread = startThread('stores/sqlite/writer-thread.ts', { workerData });
      thread.on('message', receive);
      thread.on('error', fail);
      thread.on('messageerror', fail);
      thread.on('exit', (code) => {
        if (!closing) fail(new Error(`the writer's thread ended with ${code}`));
      });
    },
    commit(writes) {
      if (failure !== undefined) return Promise.reject(failure);
      pending = Promise.withResolvers();
      send(writes);
      return pending.promise;
    },
    hasFailed: () => failure !== undefined,
    async close() {
      if (failure !== undefined) {
        await thread.terminate();
        return;
      }
      closing = true;
      const exit = once(thread, 'exit');
      send('close');
      await exit;
    },
  };
}
