/** The events of a store: one for each change of its plants, in the order of the changes. */
import type { PlantId } from './plant.ts';

/** `reset`: all plants of the store were replaced in one step. Such an event has no plant. */
export type EventKind = 'created' | 'replaced' | 'deleted' | 'reset';

export interface PlantEvent {
  /** The place in the store's sequence, which begins with 1 and has no gap. */
  readonly number: bigint;
  /** When the engine wrote it. Milliseconds since 1970. */
  readonly at: number;
  readonly kind: EventKind;
  readonly id: PlantId | null;
  /** Name and tag after the change. Null for a deletion. */
  readonly name: string | null;
  readonly tag: string | null;
  /** Name and tag before the change. Null for a creation. */
  readonly previousName: string | null;
  readonly previousTag: string | null;
}

/** The bytes of an event in memory besides its texts. */
const HEAD = 150;

/** About how many bytes an event takes in memory: two for each UTF-16 unit of its texts. */
export function eventSize({ name, tag, previousName, previousTag }: PlantEvent): number {
  const units = (text: string | null) => text?.length ?? 0;
  return HEAD + 2 * (units(name) + units(tag) + units(previousName) + units(previousTag));
}
