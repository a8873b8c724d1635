/** Starts the writer's thread: it alone waits for the disk, so that reads go on meanwhile. */
import { once } from 'node:events';
import { startThread } from '../../assets.ts';
import { StoreFailure } from '../../errors.ts';
import { isFatal, translate } from './failures.ts';
import type { WriterRequest, WriterResponse } from './writer-thread.ts';
import type { Result, Write } from './writes.ts';

/** `onFatal` is called once, when the file can no longer be trusted: every write is rejected from then on. */
export function startWriter(path: string, onFatal: (cause: unknown) => void) {
  const thread = startThread('stores/sqlite/writer-thread.ts', { workerData: path });
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
  // A failure without a batch is that of a checkpoint.
  thread.on('message', (response: WriterResponse) => {
    if ('results' in response) {
      pending?.resolve(response.results);
      return;
    }
    pending?.reject(translate(response.error, response.kind));
    if (isFatal(response.kind)) fail(response.error);
  });
  thread.on('error', fail);
  thread.on('messageerror', fail);
  thread.on('exit', (code) => {
    if (!closing) fail(new Error(`the writer's thread ended with ${code}`));
  });

  return {
    /** Runs writes as one transaction; resolves when it is on stable storage. One call at a time. */
    commit(writes: readonly Write[]): Promise<readonly Result[]> {
      if (failure !== undefined) return Promise.reject(failure);
      pending = Promise.withResolvers();
      send(writes);
      return pending.promise;
    },
    /** Whether `onFatal` was called. */
    failed: () => failure !== undefined,
    /** Closes the file, or after a fatal failure only ends the thread. */
    async close(): Promise<void> {
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
