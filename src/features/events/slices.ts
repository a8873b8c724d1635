/** Long pages of events are read in slices for public clients, so that they barely delay other requests. */
import { SHORT } from '../../http/reserve.ts';
import { eventSize, type PlantEvent } from '../../plants/event.ts';
import type { StoreName } from '../../plants/plant.ts';
import type { PlantStore } from '../../plants/plant-store.ts';

/** The client that waits for a page. */
export interface Client {
  /** Whether anybody can be this client, so that its long pages are read in slices. */
  readonly isPublic: boolean;
  /** Makes room for bytes until the response is sent. Throws a Problem (42902, 50301). */
  reserve(bytes: number): void;
  /** Reads a slice when the client has the next turn. Rejects with ClientGone once it has left. */
  inTurn<Result>(read: () => Promise<Result>): Promise<Result>;
}

export interface EventQuery {
  readonly store: StoreName;
  readonly after: bigint;
  readonly limit: number;
  /** The bytes that the client has reserved. The page may end after them. Undefined: the page is reserved here. */
  readonly room: number | undefined;
}

/** The size of a slice in bytes. Reading a slice takes about a millisecond. */
const SLICE = 65_536;
/** A slice has at most this many times the events of the slice before it, since the next events may be longer. */
const GROWTH = 8;

/** Only the first event is read without a turn, since most clients get one event at a time. */
export async function readInSlices(
  plants: Pick<PlantStore, 'events'>,
  client: Client,
  { store, after, limit, room }: EventQuery,
): Promise<readonly PlantEvent[]> {
  if (!client.isPublic) return plants.events(store, after, limit);
  let slice = await plants.events(store, after, 1);
  let [wanted, bytes, reserved] = [1, sizeOf(slice), 0];
  const found = [...slice];
  while (slice.length === wanted && found.length < limit && bytes <= (room ?? Number.POSITIVE_INFINITY)) {
    const place = found.at(-1)?.number ?? after;
    const mean = sizeOf(slice) / slice.length;
    wanted = Math.min(Math.max(1, Math.floor(SLICE / mean)), GROWTH * slice.length, limit - found.length);
    const expected = Math.ceil(bytes + wanted * mean);
    // Makes room before the read. Only one slice is read at a time, so only one can be longer than expected.
    if (room === undefined && expected > Math.max(SHORT, reserved)) {
      client.reserve(expected - reserved);
      reserved = expected;
    }
    slice = await client.inTurn(() => plants.events(store, place, wanted));
    // The oldest events may have been removed meanwhile. The next request notices that.
    if (slice[0]?.number !== place + 1n) break;
    found.push(...slice);
    bytes += sizeOf(slice);
  }
  return found;
}

function sizeOf(events: readonly PlantEvent[]): number {
  return events.reduce((bytes, event) => bytes + eventSize(event), 0);
}
