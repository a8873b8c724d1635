/** Owns the bulk writer: hands chunks of plants to a thread of its own, so that parsing and storing share two cores. */
import { once } from 'node:events';
import { startThread } from '../../assets.ts';
import { StoreFailure } from '../../errors.ts';
import type { BulkWriter } from '../data.ts';
import type { BulkRequest, BulkResponse } from './bulk-thread.ts';
import { translate } from './failures.ts';

/** Small young generations: what a chunk leaves behind is collected early instead of growing the process. */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 4 };

export function openBulkWriter(path: string, store: string): BulkWriter {
  const worker = startThread('stores/sqlite/bulk-thread.ts', {
    workerData: { path, store },
    resourceLimits: RESOURCE_LIMITS,
  });
  // Aborted when the thread fails or ends, or sends an answer that cannot be read: no further answer comes then. This may
  // happen between two requests, or before the first.
  const gone = new AbortController();
  worker.once('error', (error) => gone.abort(error));
  for (const event of ['exit', 'messageerror']) worker.once(event, () => gone.abort());

  const ask = async (request: BulkRequest): Promise<BulkResponse> => {
    const answer = once(worker, 'message', { signal: gone.signal });
    worker.postMessage(request);
    const [response]: BulkResponse[] = await answer.catch((cause) => {
      throw new StoreFailure('unreachable', cause);
    });
    if (response === undefined) throw new StoreFailure('unreachable');
    if ('error' in response) throw translate(response.error, response.code);
    return response;
  };

  return {
    async mark(key) {
      const response = await ask({ kind: 'mark', key });
      return 'state' in response ? response.state : undefined;
    },
    async write(plants, mark) {
      const response = await ask({ kind: 'write', plants, mark });
      if (!('stored' in response)) throw new Error('the bulk thread answered something else');
      return response;
    },
    async forget(key) {
      await ask({ kind: 'forget', key });
    },
    async close() {
      if (gone.signal.aborted) {
        await worker.terminate();
        return;
      }
      const exit = once(worker, 'exit');
      worker.postMessage({ kind: 'close' } satisfies BulkRequest);
      await exit;
    },
  };
}
