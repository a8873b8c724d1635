/** The events of a store: one for each change of its plants, in the order of the changes. */
import type { PlantId } from './plant.ts';

/** `reset`: the plants of a sandbox were replaced by others in one step. Such an event has no plant. */
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
