/** The rows that an engine writes in the transaction of a write while events are on: one for each changed plant. */
import type { EventKind, PlantEvent } from '../plants/event.ts';

export type ChangeKind = Exclude<EventKind, 'reset'>;

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
