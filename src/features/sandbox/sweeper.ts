/** Deletes expired sandboxes with their stores. */
import { FairShare } from '../../util/fair-share.ts';
import { type Repetition, repeat } from '../../util/repeat.ts';
import type { SandboxContext } from './sandbox.ts';

/** The largest part of the time that sweeping takes, so that it barely delays requests. */
const SHARE = 0.3;
/** Stores that have at most this many plants together are removed at the same time, and share a commit on SQLite. */
const TOGETHER_PLANTS = 2_000;

export function startSweeper({ records, plants, times, now, log, counts }: SandboxContext): Repetition {
  const work = new FairShare({ share: SHARE });

  /** Deletes a sandbox only after its store, since it counts towards the caps while its plants take space. */
  const sweep = async (closed: AbortSignal) => {
    for (;;) {
      const ended = await records.ended(now() - times.grace);
      if (ended.length === 0 || closed.aborted) return;
      const sizes = await Promise.all(ended.map(({ store }) => records.sizeOf(store)));
      const all = sizes.reduce((sum, size) => sum + size.plants, 0);
      for (const piece of all <= TOGETHER_PLANTS ? [ended] : ended.map((one) => [one]))
        await work.run('', () => Promise.all(piece.map(({ store }) => plants.remove(store))));
      counts.expired += await records.remove(ended.map(({ id }) => id));
    }
  };
  return repeat(times.sweep, sweep, (error) =>
    log.warn({ err: error }, 'cannot delete expired sandboxes; trying again'),
  );
}
