/** Removes events that are older than the service keeps them, a few at a time. */
import type { Logger } from '../observe/log.ts';
import type { Statements } from '../stores/engine.ts';

/** Milliseconds between two pieces of work: one store, and at most this many of its events. */
const PAUSE_MS = 1_000;
const TOGETHER = 1_000;

const NEXT_STORE = 'SELECT store FROM event_counts WHERE store > $1 ORDER BY store LIMIT 1';
/** The events of a store are in the order of their times, so only the oldest are read. */
const REMOVE = `DELETE FROM events WHERE store = $1 AND number <= (
    SELECT coalesce(max(number), 0) FROM (
      SELECT number, at FROM events WHERE store = $1 ORDER BY number LIMIT ${TOGETHER}
    ) AS oldest WHERE at < $2
  ) RETURNING number`;

export interface Retention {
  readonly count: () => number;
  close(): void;
}

/** `keep`: how long events are kept, in milliseconds. */
export function startRetention({ read, write }: Statements, keep: number, now: () => number, log: Logger): Retention {
  let store = '';
  let removed = 0;
  let isFailing = false;
  const removeSome = async () => {
    const [next] = await read(NEXT_STORE, [store]);
    store = (next?.[0] as string | undefined) ?? '';
    if (store === '') return;
    for (let rows = TOGETHER; rows === TOGETHER; removed += rows) {
      rows = (await write(REMOVE, [store, now() - keep])).length;
    }
  };
  const work = () =>
    removeSome().then(
      () => {
        isFailing = false;
      },
      (error: unknown) => {
        if (!isFailing) log.warn({ err: error }, 'could not remove old events; the service tries again');
        isFailing = true;
      },
    );
  let isClosed = false;
  const timer = setTimeout(() => void work().then(() => isClosed || timer.refresh()), PAUSE_MS).unref();
  return {
    count: () => removed,
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
