/** Deletes expired sandboxes with their stores. */
import { FairShare } from '../../util/fair-share.ts';
import type { SandboxContext } from './sandbox.ts';

/** The largest part of the time that sweeping takes, so that it barely delays requests. */
const SHARE = 0.3;
/** Stores that have at most this many plants together are removed at the same time, and share a commit on SQLite. */
const TOGETHER_PLANTS = 2_000;

/** Returns a function that ends it. */
export function startSweeper({ records, plants, times, now, log, counts }: SandboxContext): () => void {
  const work = new FairShare({ share: SHARE });
  let isFailing = false;
  let isClosed = false;

  /** Deletes a sandbox only after its store, since it counts towards the caps while its plants take space. */
  const sweep = async () => {
    for (;;) {
      const ended = await records.ended(now() - times.grace);
      if (ended.length === 0 || isClosed) return;
      const sizes = await Promise.all(ended.map(({ store }) => records.sizeOf(store)));
      const all = sizes.reduce((sum, size) => sum + size.plants, 0);
      for (const piece of all <= TOGETHER_PLANTS ? [ended] : ended.map((one) => [one]))
        await work.run('', () => Promise.all(piece.map(({ store }) => plants.remove(store))));
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

  return () => {
    isClosed = true;
    clearTimeout(timer);
  };
}
