/** The rows that an engine writes in the transaction of a write while events are on: an event for each changed plant. */
import type { EventKind, PlantEvent } from '../plants/event.ts';

/**
 * The statements read the relation `changes`. It has one row for each plant that the write created, replaced or
 * deleted, and no row for a replay or a refused write. `name` and `tag` are NULL for a deletion, `previous_name` and
 * `previous_tag` for a creation.
 */
export const CHANGE_COLUMNS = 'kind, store, id, name, tag, previous_name, previous_tag';
export type ChangeKind = Exclude<EventKind, 'reset'>;

/** Milliseconds since 1970. */
export const SQLITE_NOW = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";
export const POSTGRES_NOW = 'CAST(extract(epoch FROM clock_timestamp()) * 1000 AS int8)';

/** For one change: counts it, writes its event, and deletes the events beyond `keep`. */
export const SQLITE_EVENT = [
  `INSERT INTO event_counts (store, last) SELECT store, 1 FROM changes WHERE true
     ON CONFLICT (store) DO UPDATE SET last = last + 1`,
  `INSERT INTO events SELECT store, last, ${SQLITE_NOW}, kind, id, name, tag, previous_name, previous_tag
     FROM changes JOIN event_counts USING (store)`,
  `DELETE FROM events WHERE store = (SELECT store FROM changes)
     AND number <= (SELECT last - keep FROM event_counts JOIN changes USING (store))`,
];

/**
 * Does the same for any number of changes. The row of `event_counts` stays locked until the commit, so the events of a
 * store become visible in order. Stores are locked in order of name, so two batches cannot deadlock.
 */
export const POSTGRES_EVENTS = `counted AS (
      INSERT INTO event_counts AS counts (store, last) SELECT store, count(*) FROM changes GROUP BY store ORDER BY store
      ON CONFLICT (store) DO UPDATE SET last = counts.last + excluded.last RETURNING store, last, keep
    ),
    noted AS (
      INSERT INTO events SELECT store, last + 1 - row_number() OVER (PARTITION BY store ORDER BY id DESC),
          ${POSTGRES_NOW}, kind, id, name, tag, previous_name, previous_tag
        FROM changes JOIN counted USING (store)
    ),
    trimmed AS (
      DELETE FROM events USING counted
        WHERE keep IS NOT NULL AND events.store = counted.store AND number <= last - keep
    )`;

/** The most events that the store of a sandbox keeps. Visitors write them, so they need a limit. */
const KEPT_OF_FILLED = 500;
/** The first event ($1: store) of a sandbox's new store, before anybody reads it. */
export const RESET_EVENT = (now: string) => [
  `INSERT INTO event_counts (store, last, keep) VALUES ($1, 1, ${KEPT_OF_FILLED}) ON CONFLICT DO NOTHING`,
  `INSERT INTO events (store, number, at, kind) VALUES ($1, 1, ${now}, 'reset') ON CONFLICT DO NOTHING`,
];
/** Deletes up to $2 events of a store ($1) that nobody reads any more. */
export const CLEAR_EVENTS = `DELETE FROM events
    WHERE store = $1 AND number < (SELECT min(number) FROM events WHERE store = $1) + $2 RETURNING number`;
/** Deletes the counter of such a store. */
export const FORGET_COUNT = 'DELETE FROM event_counts WHERE store = $1';

export const EVENT_COLUMNS = 'number, at, kind, id, name, tag, previous_name, previous_tag';

/** Reads a row of EVENT_COLUMNS. */
export function eventOf(row: readonly unknown[]): PlantEvent {
  const [number, at, kind, id, name, tag, previousName, previousTag] = row;
  return { number, at: Number(at), kind, id, name, tag, previousName, previousTag } as PlantEvent;
}
