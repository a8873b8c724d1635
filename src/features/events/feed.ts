/** The events of a store as a reader gets them: from a cursor on, in pages, with a wait for the next event. */
import { Problem, retryLater } from '../../errors.ts';
import type { Cursors } from '../../plants/cursor.ts';
import { eventSize, type PlantEvent } from '../../plants/event.ts';
import type { StoreName } from '../../plants/plant.ts';
import type { PlantStore } from '../../plants/plant-store.ts';
import type { EventSwitch } from '../../stores/engine.ts';
import type { Arrivals } from './arrivals.ts';
import type { Event } from './events.generated.ts';
import { type Client, readInSlices } from './slices.ts';

/** Where a reader is. */
export interface Place {
  readonly store: StoreName;
  /** The name of the period in which events are on. In another period the cursor is no longer valid. */
  readonly period: string;
  /** The number of the last event that the reader has seen. Undefined: it begins with the oldest. */
  readonly after: bigint | undefined;
  /** The parameter that the reader began with. An error names it. */
  readonly parameter: keyof Start;
}

/** The parameters of a request that may contain a cursor. `Last-Event-ID` replaces `after`. */
export interface Start {
  readonly after?: string;
  readonly 'Last-Event-ID'?: string;
}

export interface Page {
  readonly events: readonly Event[];
  /** The place after the last event. */
  readonly next: Place;
  /** Whether there was no later event. */
  readonly isEnd: boolean;
}

export interface Feed {
  /**
   * The place of a cursor, of `latest`, or of `oldest`: before the oldest event that is kept. Rejects with a Problem
   * (40006, 41000).
   */
  placeOf(store: StoreName, start: Start): Promise<Place>;
  cursorOf(place: Place): string;
  /** The number of the newest event of a store; 0n if it has had none. */
  newestOf(store: StoreName): Promise<bigint>;
  /**
   * Reads up to `limit` events after a place, of up to `room` bytes together, but at least one event if there is one.
   * Rejects with a Problem (40006, 41000; without `room` also 42902, 50301), or with ClientGone once the client has
   * left.
   */
  read(place: Place, limit: number, client: Client, room?: number): Promise<Page>;
  /**
   * Resolves to true when a read may find an event, or must reject because events are off. Resolves to false when the
   * time is over or `signal` is aborted.
   */
  wait(place: Place, milliseconds: number, signal: AbortSignal): Promise<boolean>;
}

export interface FeedParts {
  readonly plants: Pick<PlantStore, 'events' | 'newestEvents'>;
  readonly period: EventSwitch['period'];
  readonly cursors: Cursors<StoreName>;
  readonly arrivals: Pick<Arrivals, 'wait'>;
}

const BEGIN_AGAIN =
  'Begin again: take a cursor with GET /events?after=latest, list the plants, ' +
  'and then read the events after that cursor.';
const noLongerKept = () => new Problem(41000, `The events after this cursor are no longer kept. ${BEGIN_AGAIN}`);
const foreignCursor = (parameter: keyof Start) =>
  new Problem(40006, `${parameter} is not a cursor of this store's events. ${BEGIN_AGAIN}`);

export function createFeed({ plants, period, cursors, arrivals }: FeedParts): Feed {
  const newestOf = async (store: StoreName) => (await plants.newestEvents([store])).get(store) ?? 0n;
  const presentPeriod = async () => {
    const present = await period();
    if (present === undefined)
      throw retryLater(
        50300,
        'Events are turned off in the database. The next start of a service with --events turns them on',
        60,
      );
    return present;
  };

  return {
    async placeOf(store, { after: begin, 'Last-Event-ID': last }) {
      const [cursor, parameter] = last ? [last, 'Last-Event-ID' as const] : [begin, 'after' as const];
      const present = await presentPeriod();
      const at = (after: bigint | undefined): Place => ({ store, period: present, after, parameter });
      if (cursor === undefined) return at(undefined);
      if (cursor === 'latest') return at(await newestOf(store));
      if (cursor === 'oldest') {
        const [oldest] = await plants.events(store, 0n, 1);
        return at(oldest === undefined ? await newestOf(store) : oldest.number - 1n);
      }
      const [own, after] = cursors.decode(store, cursor) ?? [];
      if (own === undefined) throw foreignCursor(parameter);
      if (own !== BigInt(present)) throw noLongerKept();
      return at(after);
    },
    newestOf,
    cursorOf: ({ store, period: own, after = 0n }) => cursors.encode(store, BigInt(own), after),
    async read(place, limit, client, room) {
      const { store, period: own, after } = place;
      if ((await presentPeriod()) !== own) throw noLongerKept();
      const readEvents = () => readInSlices(plants, client, { store, after: after ?? 0n, limit, room });
      let found = await readEvents();
      if (found.length === 0) {
        const newest = await newestOf(store);
        if (newest < (after ?? 0n)) throw foreignCursor(place.parameter);
        // Events may have been written between the two reads. Otherwise the events up to the newest were removed.
        if (newest > (after ?? 0n)) found = await readEvents();
        if (found.length === 0 && newest === (after ?? newest))
          return { events: [], next: { ...place, after: newest }, isEnd: true };
      }
      if (after !== undefined && found[0]?.number !== after + 1n) throw noLongerKept();
      const kept = room === undefined ? found : firstOf(found, room);
      const events = kept.map((one) => eventOf(one, cursors.encode(store, BigInt(own), one.number)));
      const isEnd = kept === found && found.length < limit;
      return { events, next: { ...place, after: kept.at(-1)?.number }, isEnd };
    },
    wait: ({ store, after = 0n }, ...rest) => arrivals.wait(store, after, ...rest),
  };
}

/** The first events, of up to `most` bytes together, but at least one. */
function firstOf(events: readonly PlantEvent[], most: number): readonly PlantEvent[] {
  let bytes = 0;
  const over = events.findIndex((one) => {
    bytes += eventSize(one);
    return bytes > most;
  });
  return over < 0 ? events : events.slice(0, Math.max(1, over));
}

/** The columns of an event's kind are never NULL, so the defaults are never used. */
function eventOf(one: PlantEvent, cursor: string): Event {
  const { kind, number, at, id: plantId, name, tag, previousName, previousTag } = one;
  const head = { id: cursor, sequence: number, timestamp: new Date(at).toISOString() };
  if (kind === 'reset') return { ...head, type: 'store.reset', data: { reason: 'reset' } };
  const plant = (name: string | null, tag: string | null) => ({
    id: plantId ?? 0n,
    name: name ?? '',
    ...(tag === null ? {} : { tag }),
  });
  if (kind === 'created') return { ...head, type: 'plant.created', data: plant(name, tag) };
  if (kind === 'deleted') return { ...head, type: 'plant.deleted', data: plant(previousName, previousTag) };
  const data = { ...plant(name, tag), previousName: previousName ?? '', previousTag };
  return { ...head, type: 'plant.replaced', data };
}
