/** The rows that an engine writes in the transaction of a write while events are on: one for each changed plant. */
import type { EventKind, PlantEvent } from '../plants/event.ts';

export type ChangeKind = Exclude<EventKind, 'reset'>;

export const EVENT_COLUMNS = 'number, at, kind, id, name, tag, previous_name, previous_tag';

/** Reads a row of EVENT_COLUMNS. */
export function eventOf(row: readonly unknown[]): PlantEvent {
  const [number, at, kind, id, name, tag, previousName, previousTag] = row;
  return { number, at: Number(at), kind, id, name, tag, previousName, previousTag } as PlantEvent;
}
