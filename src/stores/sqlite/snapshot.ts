/** Owns what reads see: those of one turn of the event loop share a snapshot, and the locks and looks that it takes. */
import { performance } from 'node:perf_hooks';
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
 * except to a write of this process, before which `renew` is called. Where immediates run is where a snapshot ends; one
 * that begins there itself, as for a read pipelined behind a write, is ended by the first read of the next turn.
 */
export function createSnapshot(reader: DatabaseSync): Snapshot {
  const begin = reader.prepare('BEGIN');
  // A COMMIT fails again with what failed a read before it, as of a damaged page, and nobody is there to be told.
  const rollback = reader.prepare('ROLLBACK');
  const { nodeTiming } = performance;
  let ending: NodeJS.Immediate | undefined;
  let begun: number | undefined;

  const end = () => {
    if (ending === undefined) return;
    clearImmediate(ending);
    ending = undefined;
    // An error of a read may have ended it already.
    if (reader.isOpen && reader.isTransaction) rollback.run();
  };
  return {
    read(work) {
      const turn = nodeTiming.uvMetricsInfo.loopCount;
      if (turn !== begun) end();
      if (ending === undefined) {
        begin.run();
        ending = setImmediate(end);
        begun = turn;
      }
      return work();
    },
    renew: end,
  };
}
