/** Deletes events older than `--events-keep`, one store at a time. */
import type { Logger } from '../../observe/log.ts';
import type { Engine, Statements } from '../../stores/engine.ts';
import { repeat } from '../../util/repeat.ts';

/** Milliseconds between two stores. */
const PAUSE_MS = 1_000;
/** The most events that one statement deletes. */
const TOGETHER = 1_000;

const NEXT_STORE = 'SELECT store FROM event_counts WHERE store > $1 ORDER BY store LIMIT 1';
const OLDEST = `(SELECT number, at FROM events WHERE store = $1 ORDER BY number LIMIT ${TOGETHER}) AS oldest`;
/**
 * The events of a store are in the order of their times, unless the clock jumped. An event with a wrong old time stays
 * until the events before it are too old. An event with a time in the future does not keep the events after it.
 */
const REMOVE = `DELETE FROM events WHERE store = $1 AND number <= (
    SELECT coalesce(max(number), 0) FROM ${OLDEST} WHERE at < $2 AND number < (
      SELECT coalesce(min(number), 9223372036854775807) FROM ${OLDEST} WHERE at >= $2 AND at <= $3
    )
  ) RETURNING number`;

/**
 * Deletes the events before `before` of the store that follows `store` in order of name. Resolves to that store and the
 * number of deleted events. The store is '' after the last one. Times are milliseconds since 1970.
 */
export async function removeOlder({ read, write }: Statements, store: string, before: number, now: number) {
  const [next] = await read(NEXT_STORE, [store]);
  const name = (next?.[0] as string | undefined) ?? '';
  let removed = 0;
  for (let rows = TOGETHER; name !== '' && rows === TOGETHER; removed += rows) {
    rows = (await write(REMOVE, [name, before, now])).length;
  }
  return { store: name, removed };
}

export interface Retention {
  /** How many events this process has removed. */
  readonly count: () => number;
  close(): void;
}

/**
 * `keep`: how long events are kept, in milliseconds. Their age is measured with the clock that dates them. So a process
 * whose own clock is wrong removes no event early.
 */
export function startRetention(engine: Pick<Engine, 'statements' | 'events'>, keep: number, log: Logger): Retention {
  let last = '';
  let count = 0;
  const work = async () => {
    const now = await engine.events.now();
    const { store, removed } = await removeOlder(engine.statements, last, now - keep, now);
    last = store;
    count += removed;
  };
  const { close } = repeat(PAUSE_MS, work, (error) =>
    log.warn({ err: error }, 'could not remove old events; the service tries again'),
  );
  return { count: () => count, close };
}
