/** Long pages of sandboxes are read in slices, within a share of the time, so that they barely delay others. */

import { ClientGone } from '../../http/exchange.ts';
import { eventSize, LONGEST_EVENT, type PlantEvent } from '../../plants/event.ts';
import type { StoredPlant } from '../../plants/plant.ts';
import type { Page, PlantStore, Reader } from '../../plants/plant-store.ts';
import { FairShare } from '../../util/fair-share.ts';
import { LruCache } from '../../util/lru-cache.ts';
import type { Held, Visitor } from './budgets.ts';
import type { Quotas } from './quotas.ts';
import { idOfStore, type Sandbox } from './sandbox.ts';

export interface Lists {
  /** Notes the address that reads a sandbox. The sandboxes of an address share its turns. */
  noteReader(sandbox: Sandbox): void;
  /**
   * Reads the plants and events of sandboxes in slices, if they are long. Throws a Problem (42902, 50301) if there is
   * no room for them.
   */
  wrap(plants: PlantStore): PlantStore;
}

/** The largest part of the time in which long pages are read. */
const SHARE = 1 / 8;
/** A page of at most this many bytes is read immediately, without waiting for a turn. */
const SHORT_PAGE = 16_384;
/** The size of a slice in bytes. Reading a slice takes about a millisecond. */
const SLICE = 65_536;
/** The minimum number of plants in a slice. */
const FEWEST = 8;
/** The maximum number of bytes of a plant in JSON: each of its 2,048 characters may be an escape of six bytes. */
const LONGEST_PLANT = 12_500;
/** A slice has at most this many times the events of the slice before it, since the next events may be longer. */
const GROWTH = 8;
/** The maximum number of readers' addresses that are kept. Other sandboxes take turns by themselves. */
const READERS = 10_000;

/** `budget` counts the bytes of the pages that are being read. */
export function createLists(sizes: Pick<Quotas, 'sizeOf'>, budget: Held): Lists {
  const work = new FairShare({ share: SHARE });
  /** By sandbox. */
  const addresses = new LruCache<string>(READERS);

  const visitorOf = (id: string): Visitor => ({ id, address: addresses.get(id) ?? id });

  const listInSlices = async (plants: PlantStore, visitor: Visitor, store: string, page: Page) => {
    const { plants: count, bytes } = await sizes.sizeOf(store);
    const expected = Math.min(bytes, page.limit * LONGEST_PLANT);
    if (expected <= SHORT_PAGE) return plants.list(store, page);
    const wanted = Math.max(FEWEST, Math.floor((SLICE * count) / bytes));
    return budget.during(visitor, expected, async () => {
      const found: StoredPlant[] = [];
      for (;;) {
        const limit = Math.min(wanted, page.limit - found.length);
        const after = found.at(-1)?.id ?? page.after;
        const slice = await work.run(visitor.address, async () => {
          requireReader(page.reader);
          return plants.list(store, { ...page, after, limit });
        });
        found.push(...slice);
        if (slice.length < limit || found.length === page.limit) return found;
      }
    });
  };

  /**
   * Only the first event is read without a turn, since most readers get one event at a time. The bytes of each slice
   * are reserved before it is read, unless the reader has reserved them. Only one slice is read at a time, so only one
   * slice can be longer than expected.
   */
  const eventsInSlices = async (plants: PlantStore, visitor: Visitor, page: EventPage) => {
    const { store, after, limit, reader, room } = page;
    let reserved = 0;
    const reserve = (bytes: number) => {
      if (room !== undefined || bytes <= reserved) return;
      budget.reserve(visitor, bytes - reserved);
      reserved = bytes;
    };
    try {
      reserve(LONGEST_EVENT);
      let wanted = 1;
      let slice = await plants.events(store, after, wanted);
      let bytes = sizeOf(slice);
      const found = [...slice];
      while (slice.length === wanted && found.length < limit && bytes < (room ?? Number.POSITIVE_INFINITY)) {
        const place = found.at(-1)?.number ?? after;
        const fitting = Math.floor((SLICE * slice.length) / sizeOf(slice));
        wanted = Math.min(Math.max(1, fitting), GROWTH * slice.length, limit - found.length);
        reserve(bytes + SLICE);
        slice = await work.run(visitor.address, async () => {
          requireReader(reader);
          return plants.events(store, place, wanted);
        });
        // The oldest events may have been removed meanwhile. The next request finds that out.
        if (slice[0]?.number !== place + 1n) break;
        found.push(...slice);
        bytes += sizeOf(slice);
        reserve(bytes);
      }
      return found;
    } finally {
      budget.release(visitor, reserved);
    }
  };

  return {
    noteReader: ({ id, address }) => addresses.set(id, address),
    wrap: (plants) => ({
      ...plants,
      events(store, after, limit, reader, room) {
        const id = idOfStore(store);
        if (id === undefined) return plants.events(store, after, limit);
        return eventsInSlices(plants, visitorOf(id), { store, after, limit, reader, room });
      },
      list(store, page) {
        const id = idOfStore(store);
        if (id === undefined || page.limit * LONGEST_PLANT <= SHORT_PAGE) return plants.list(store, page);
        return listInSlices(plants, visitorOf(id), store, page);
      },
    }),
  };
}

function sizeOf(events: readonly PlantEvent[]): number {
  return events.reduce((bytes, event) => bytes + eventSize(event), 0);
}

/** Throws ClientGone if the client that waits for a page has left. */
function requireReader(reader: Reader | undefined): void {
  if (reader?.hasLeft) throw new ClientGone();
}

interface EventPage {
  readonly store: string;
  readonly after: bigint;
  readonly limit: number;
  readonly reader: Reader | undefined;
  readonly room: number | undefined;
}
