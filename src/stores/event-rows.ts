/** Reads the rows of events. `sqlite/writes.ts` and `postgres/event-writes.ts` write them. */
import type { PlantEvent } from '../plants/event.ts';

/** Reads a row of the columns number, at, kind, id, name, tag, previous_name and previous_tag. */
export function eventOf(row: readonly unknown[]): PlantEvent {
  const [number, at, kind, id, name, tag, previousName, previousTag] = row;
  return { number, at: Number(at), kind, id, name, tag, previousName, previousTag } as PlantEvent;
}
