/** Limits the plants of each sandbox, by their number and by the bytes that they take. */
import { Problem } from '../../errors.ts';
import type { StoredPlant } from '../../plants/plant.ts';
import type { Amount } from '../../plants/plant-store.ts';
import { plantSize } from '../../plants/size.ts';
import { LruCache } from '../../util/lru-cache.ts';
import { createQueues } from './queue.ts';
import { createIsWithin, type SandboxContext } from './sandbox.ts';

export interface Rooms {
  /**
   * Runs a write that may store a plant. Throws a Problem (40010), and runs nothing, if the store has no room for it.
   * The writes of this process never exceed the limits, in whatever order they end. Other replicas may exceed them
   * until this process measures the store again.
   */
  write<Result extends { readonly status: number }>(write: PlantWrite, run: () => Promise<Result>): Promise<Result>;
  /** Must be called after plants of a store were deleted. */
  noteDeleted(store: string): void;
  /** What the plants of a store take, by a measurement that may be up to a minute old. */
  sizeOf(store: string): Promise<Amount>;
}

export interface PlantWrite {
  readonly store: string;
  readonly plant: StoredPlant;
  /** Whether the write can add a plant. Otherwise it can only replace one. */
  readonly creates: boolean;
}

/** What this process knows of a store. */
interface Room {
  /** The most that the store holds, with the writes in progress. */
  plants: number;
  bytes: number;
  measuredAt: number;
  /** Whether the store may hold less: a delete, a replay or a replace is counted too high. */
  mayHoldLess: boolean;
  /** Writes in progress, and writes that wait until the store is measured. */
  writing: number;
  waiting: number;
  /** Called when no write is in progress. */
  onIdle: (() => void) | undefined;
}

/** How long a measurement is trusted, in milliseconds. Other replicas may store plants meanwhile. */
const FRESH = 10_000;
/** How long a measurement is trusted if the store is less than half full. */
const FRESH_BELOW_HALF = 60_000;
/** How long a full store is not measured again, in milliseconds, unless this process deletes plants. */
const FRESH_WHEN_FULL = 1_000;
/** The rooms of at least this number of stores are kept. */
const KEPT = 10_000;
const KIB = 1_024;

export function createRooms({ plants, limits, now }: Pick<SandboxContext, 'plants' | 'limits' | 'now'>): Rooms {
  const runInOrder = createQueues();
  /** The rooms with writes. The cache must not forget them. */
  const busy = new Map<string, Room>();
  const idle = new LruCache<Room>(2 * KEPT);
  const unknown = (): Room => ({
    ...{ plants: 0, bytes: 0, measuredAt: Number.NEGATIVE_INFINITY, mayHoldLess: true },
    ...{ writing: 0, waiting: 0, onIdle: undefined },
  });

  const isWithin = createIsWithin(now);
  const isFresh = ({ plants, bytes, measuredAt }: Room) =>
    isWithin(plants < limits.plants / 2 && bytes < limits.size / 2 ? FRESH_BELOW_HALF : FRESH, measuredAt);
  const fits = (room: Room, more: Amount) =>
    (more.plants === 0 || room.plants + more.plants <= limits.plants) &&
    (more.bytes === 0 || room.bytes + more.bytes <= limits.size);
  const claim = (room: Room, more: Amount): Amount => {
    room.plants += more.plants;
    room.bytes += more.bytes;
    room.writing++;
    return more;
  };
  const full = (room: Room, more: Amount) => {
    const isByNumber = more.plants > 0 && room.plants + more.plants > limits.plants;
    const most = isByNumber
      ? `its maximum number of plants is ${limits.plants}`
      : `its plants may take ${Math.floor(limits.size / KIB)} KiB`;
    return new Problem(40010, `The sandbox is full: ${most}. Delete plants, or reset the sandbox.`);
  };

  const measure = async (room: Room, store: string) => {
    // A write in progress may or may not be in the measurement.
    if (room.writing > 0) await new Promise<void>((resolve) => Object.assign(room, { onIdle: resolve }));
    const measuredAt = now();
    // A store that an older version filled may have more bytes, but not more plants.
    Object.assign(room, await plants.measure(store, limits.plants), { measuredAt, mayHoldLess: false });
  };
  /** A claim for what the write really adds; undefined if there is no room. `most`: what it adds at most. */
  const tryToClaim = async (room: Room, { store, plant, creates }: PlantWrite, most: Amount) => {
    if (fits(room, most)) return { claimed: claim(room, most), more: most };
    const there = await plants.get(store, plant.id);
    const replaced = { plants: 0, bytes: there ? Math.max(0, most.bytes - plantSize(there)) : 0 };
    const more = there === undefined && creates ? most : replaced;
    return { claimed: fits(room, more) ? claim(room, more) : undefined, more };
  };
  const claimExactly = async (room: Room, write: PlantWrite, most: Amount): Promise<Amount> => {
    if (isFresh(room)) {
      const { claimed, more } = await tryToClaim(room, write, most);
      if (claimed !== undefined) return claimed;
      if (!room.mayHoldLess && isWithin(FRESH_WHEN_FULL, room.measuredAt)) throw full(room, more);
    }
    await measure(room, write.store);
    const { claimed, more } = await tryToClaim(room, write, most);
    if (claimed === undefined) throw full(room, more);
    return claimed;
  };
  const makeBusy = (store: string) => {
    const room = idle.get(store) ?? unknown();
    busy.set(store, room);
    return room;
  };
  const rest = (room: Room, store: string) => {
    if (room.writing > 0) return;
    room.onIdle?.();
    room.onIdle = undefined;
    if (room.waiting > 0) return;
    busy.delete(store);
    idle.set(store, room);
  };

  return {
    async write(write, run) {
      const { store, plant, creates } = write;
      const room = busy.get(store) ?? makeBusy(store);
      const most = { plants: creates ? 1 : 0, bytes: plantSize(plant) };
      let claimed: Amount;
      if (room.waiting === 0 && isFresh(room) && fits(room, most)) claimed = claim(room, most);
      else {
        room.waiting++;
        try {
          claimed = await runInOrder(store, () => claimExactly(room, write, most));
        } finally {
          room.waiting--;
          rest(room, store);
        }
      }
      // A write that fails may have been stored, and a repeated create stores nothing: both count until the next
      // measurement.
      room.mayHoldLess = true;
      try {
        const result = await run();
        if (result.status !== 200) {
          room.plants -= claimed.plants;
          room.bytes -= claimed.bytes;
        }
        return result;
      } finally {
        room.writing--;
        rest(room, store);
      }
    },
    noteDeleted(store) {
      const room = busy.get(store) ?? idle.get(store);
      if (room !== undefined) room.mayHoldLess = true;
    },
    async sizeOf(store) {
      const room = busy.get(store) ?? idle.get(store);
      if (room !== undefined && isFresh(room)) return room;
      const measuredAt = now();
      const amount = await plants.measure(store, limits.plants);
      // A write that began meanwhile may or may not be in the measurement.
      if (!busy.has(store) && idle.get(store) === room) {
        idle.set(store, { ...unknown(), ...amount, measuredAt, mayHoldLess: false });
      }
      return amount;
    },
  };
}
