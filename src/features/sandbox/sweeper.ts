/** Deletes expired sandboxes, and the plants of stores that no sandbox uses any more. */
import { TOGETHER } from './records.ts';
import type { SandboxContext } from './sandbox.ts';
import { createWork } from './work.ts';

export interface Sweeper {
  close(): void;
}

/** The largest part of the time that sweeping takes, so that it barely delays requests. */
const SHARE = 0.3;
/** How many plants of a store are deleted in one statement. A piece has up to TOGETHER such statements. */
const PIECE = 125;

export function startSweeper({ records, plants, times, now, log, counts }: SandboxContext): Sweeper {
  const work = createWork(SHARE);
  let isFailing = false;
  let isClosed = false;
  /** Stores without plants, which the next piece removes. */
  let emptied: readonly string[] = [];

  /**
   * Deletes some plants, stores and sandboxes in one commit. Deletes a sandbox only after its stores, since it counts
   * towards the caps while its plants take space. Resolves to false if there was nothing to delete.
   */
  const sweepPiece = async (): Promise<boolean> => {
    const before = now() - times.grace;
    const found = await records.unused(now(), before, TOGETHER + emptied.length);
    const stores = found.filter((store) => !emptied.includes(store)).slice(0, TOGETHER);
    const ended = await records.ended(before);
    const [cleared, , removed] = await work.run('', () =>
      Promise.all([
        Promise.all(stores.map((store) => plants.clear(store, PIECE))),
        records.removeStores(emptied),
        records.remove(ended),
      ]),
    );
    emptied = stores.filter((_, i) => Number(cleared[i]) < PIECE);
    counts.expired += removed;
    return stores.length + ended.length > 0;
  };
  const timer = setTimeout(async () => {
    try {
      while (!isClosed && (await sweepPiece()));
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
