/** Long pages of sandboxes: they are read in slices, within a share of the time, so that they barely delay others. */
import type { StoredPlant } from '../plants/plant.ts';
import type { PlantStore } from '../plants/plant-store.ts';
import type { Held } from './budgets.ts';
import type { Rooms } from './rooms.ts';
import type { Sandbox } from './sandbox.ts';
import { createWork } from './work.ts';

export interface Lists {
  /**
   * Runs `list`, which reads a page of up to `limit` plants of a sandbox. Throws a Problem (42902, 50301) if the page
   * may be long and there is no room for it.
   */
  read<Result>(sandbox: Sandbox, limit: number, list: () => Promise<Result>): Promise<Result>;
  /** Reads the pages of a store in slices while `read` runs for it. */
  wrap(plants: PlantStore): PlantStore;
}

/** The largest part of the time in which long pages are read. */
const SHARE = 1 / 8;
/** A page of at most this many bytes is read at once, without waiting for a turn. */
const SHORT_PAGE = 16_384;
/** The size of a slice in bytes. Reading a slice takes about a millisecond. */
const SLICE = 65_536;
/** The fewest plants of a slice. */
const FEWEST = 8;
/** The most bytes that a plant takes in JSON: each of 2,048 characters may be escaped with six. */
const LONGEST_PLANT = 12_500;

interface Reader {
  readonly address: string;
  /** How many plants a slice has. */
  readonly plants: number;
  pages: number;
}

/** `budget` counts the bytes of the pages that are being read. */
export function createLists(sizes: Pick<Rooms, 'sizeOf'>, budget: Held): Lists {
  const work = createWork(SHARE);
  /** By store. */
  const readers = new Map<string, Reader>();

  const listInSlices = async (plants: PlantStore, store: string, page: Page, reader: Reader) => {
    const found: StoredPlant[] = [];
    for (;;) {
      const limit = Math.min(reader.plants, page.limit - found.length);
      const after = found.at(-1)?.id ?? page.after;
      const slice = await work.run(reader.address, () => plants.list(store, { ...page, after, limit }));
      found.push(...slice);
      if (slice.length < limit || found.length === page.limit) return found;
    }
  };

  return {
    async read(sandbox, limit, list) {
      const { store, address } = sandbox;
      if (limit * LONGEST_PLANT <= SHORT_PAGE) return list();
      const { plants, bytes } = await sizes.sizeOf(store);
      const expected = Math.min(bytes, limit * LONGEST_PLANT);
      if (expected <= SHORT_PAGE) return list();
      const slice = Math.max(FEWEST, Math.floor((SLICE * plants) / bytes));
      const reader = readers.get(store) ?? { address, plants: slice, pages: 0 };
      return budget.during(sandbox, expected, async () => {
        readers.set(store, reader);
        reader.pages++;
        try {
          return await list();
        } finally {
          reader.pages--;
          if (reader.pages === 0) readers.delete(store);
        }
      });
    },
    wrap: (plants) => ({
      ...plants,
      list(store, page) {
        const reader = readers.get(store);
        return reader === undefined ? plants.list(store, page) : listInSlices(plants, store, page, reader);
      },
    }),
  };
}

type Page = Parameters<PlantStore['list']>[1];
