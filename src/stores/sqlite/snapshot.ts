/** Owns what reads see: those of one turn of the event loop share a snapshot, and the locks and looks that it takes. */
import type { DatabaseSync } from 'node:sqlite';

interface Snapshot {
  /** Runs statements that only read. */
  read<T>(work: () => T): T;
  /** What is committed by now is seen by every later read. To be called before a write is answered. */
  renew(): void;
}

/**
 * Alone, a read asks the system four times to see one page: for a lock, for news, for the page, and to give the lock back.
 * Under load some fifty requests come in one turn. None of them can have been sent after an answer of the same turn,
 * except to a write of this process, before which `renew` is called. Where immediates run is where a snapshot ends: one
 * that begins there itself, as for a read pipelined behind a write, lasts until they run again, over a whole turn. What
 * another process commits meanwhile is seen after that.
 */
export function createSnapshot(reader: DatabaseSync): Snapshot {
  const begin = reader.prepare('BEGIN');
  // A COMMIT fails again with what failed a read before it, as of a damaged page, and nobody is there to be told.
  const rollback = reader.prepare('ROLLBACK');
  let ending: NodeJS.Immediate | undefined;

  const end = () => {
    if (ending === undefined) return;
    clearImmediate(ending);
    ending = undefined;
    // An error of a read may have ended it already.
    if (reader.isOpen && reader.isTransaction) rollback.run();
  };
  return {
    read(work) {
      if (ending === undefined) {
        begin.run();
        ending = setImmediate(end);
      }
      return work();
    },
    renew: end,
  };
}
