/** Deletes expired sandboxes, and the plants of stores that no sandbox uses any more. */
import type { SandboxContext } from './sandbox.ts';

export interface Sweeper {
  close(): void;
}

/** How many stores a sweep empties. */
const STORES = 20;
/** How many plants are deleted in one statement. Between two statements clients can write. */
const PIECE = 500;

export function startSweeper({ records, plants, times, now, log, counts }: SandboxContext): Sweeper {
  let isFailing = false;
  let isClosed = false;

  const sweep = async () => {
    counts.expired += await records.removeEnded(now() - times.grace);
    for (const store of await records.unused(now(), STORES)) {
      while ((await plants.clear(store, PIECE)) > 0);
      await records.removeStore(store);
    }
  };
  const timer = setTimeout(async () => {
    try {
      await sweep();
      isFailing = false;
    } catch (error) {
      if (!isFailing && !isClosed) log.warn({ err: error }, 'cannot delete expired sandboxes; trying again');
      isFailing = true;
    }
    if (!isClosed) timer.refresh();
  }, times.sweep).unref();

  return {
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
