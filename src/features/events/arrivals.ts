/** Wakes waiting readers: after each write of a request of this process, and by a poll for all other writes. */
import type { StoreName } from '../../plants/plant.ts';
import type { PlantStore } from '../../plants/plant-store.ts';
import type { EventSwitch } from '../../stores/engine.ts';

export interface Arrivals {
  /**
   * Resolves to true when the store may have an event after number `after`, or events were turned off. Resolves to
   * false when the time is over or `signal` is aborted.
   */
  wait(store: StoreName, after: bigint, milliseconds: number, signal: AbortSignal): Promise<boolean>;
  /** Wakes the readers of a store after each write of a request. Only the poll finds resets, which bypass it. */
  wrap(plants: PlantStore): PlantStore;
  close(): void;
}

/** Milliseconds between two polls. There is none while nobody waits. */
const POLL_MS = 250;

interface Waiting {
  readonly after: bigint;
  readonly wake: () => void;
}

/** `plants`: where the events are read. `period`: whether events are on. */
export function createArrivals(plants: Pick<PlantStore, 'newestEvents'>, period: EventSwitch['period']): Arrivals {
  const waiting = new Map<StoreName, Set<Waiting>>();
  let timer: NodeJS.Timeout | undefined;

  const poll = async () => {
    try {
      const stores = [...waiting.keys()];
      if ((await period()) === undefined) for (const store of stores) wake(store);
      else for (const [store, newest] of await plants.newestEvents(stores)) wake(store, newest);
    } catch {
      // The store cannot serve now. The readers find that out themselves when they read again.
    }
    timer = waiting.size === 0 ? undefined : setTimeout(() => void poll(), POLL_MS).unref();
  };
  const wake = (store: StoreName, newest?: bigint) => {
    for (const one of waiting.get(store) ?? []) if (newest === undefined || newest > one.after) one.wake();
  };

  return {
    wait(store, after, milliseconds, signal) {
      if (signal.aborted) return Promise.resolve(false);
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const readers = waiting.get(store) ?? new Set();
      const end = (isWoken: boolean) => {
        clearTimeout(until);
        signal.removeEventListener('abort', giveUp);
        readers.delete(one);
        if (readers.size === 0) waiting.delete(store);
        resolve(isWoken);
      };
      const giveUp = () => end(false);
      const one: Waiting = { after, wake: () => end(true) };
      const until = setTimeout(giveUp, milliseconds);
      signal.addEventListener('abort', giveUp);
      waiting.set(store, readers.add(one));
      timer ??= setTimeout(() => void poll(), POLL_MS).unref();
      return promise;
    },
    wrap: (own) => {
      const after = async <T>(store: StoreName, write: Promise<T>): Promise<T> => {
        const result = await write;
        wake(store);
        return result;
      };
      return {
        ...own,
        create: (store, ...rest) => after(store, own.create(store, ...rest)),
        replace: (store, ...rest) => after(store, own.replace(store, ...rest)),
        delete: (store, ...rest) => after(store, own.delete(store, ...rest)),
      };
    },
    close: () => clearTimeout(timer),
  };
}
