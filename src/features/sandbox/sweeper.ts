/** Deletes expired sandboxes with their stores. */
import type { SandboxContext } from './sandbox.ts';
import { createWork } from './work.ts';

export interface Sweeper {
  close(): void;
}

/** The largest part of the time that sweeping takes, so that it barely delays requests. */
const SHARE = 0.3;

export function startSweeper({ records, plants, times, now, log, counts }: SandboxContext): Sweeper {
  const work = createWork(SHARE);
  let isFailing = false;
  let isClosed = false;

  /** Deletes a sandbox only after its store, since it counts towards the caps while its plants take space. */
  const sweep = async () => {
    for (;;) {
      const ended = await records.ended(now() - times.grace);
      for (const { store } of ended) {
        if (isClosed) return;
        await work.run('', () => plants.remove(store));
      }
      if (ended.length === 0) return;
      counts.expired += await records.remove(ended.map(({ id }) => id));
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
