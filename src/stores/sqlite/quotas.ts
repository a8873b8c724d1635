/** Reads each quota once in a transaction, and writes it once at its end. */
import type { DatabaseSync } from 'node:sqlite';
import { hasQuota } from '../../plants/plant.ts';
import { DELETE_QUOTA, QuotaCount, SELECT_QUOTA, TRIM_EVENTS, UPDATE_QUOTA } from '../quota-count.ts';

export interface TransactionQuotas {
  /** What a store holds, with the earlier writes of the transaction. Undefined: it has no quota. */
  of(store: string): QuotaCount | undefined;
  /** Removes the quota of a store that is no longer used. From then on no plant fits. */
  remove(store: string): void;
  /** Writes what the stores of the transaction hold. `withEvents`: deletes the events that they no longer keep. */
  save(withEvents: boolean): void;
  /** Must be called before each transaction. */
  forget(): void;
}

export function createQuotas(database: DatabaseSync): TransactionQuotas {
  const select = database.prepare(SELECT_QUOTA);
  const update = database.prepare(UPDATE_QUOTA);
  const remove = database.prepare(DELETE_QUOTA);
  const trim = database.prepare(TRIM_EVENTS);
  select.setReturnArrays(true);
  const quotas = new Map<string, QuotaCount>();
  const read = (store: string) => {
    const quota = new QuotaCount(select.get({ $1: store }) as unknown as readonly unknown[] | undefined);
    quotas.set(store, quota);
    return quota;
  };
  return {
    of: (store) => (hasQuota(store) ? (quotas.get(store) ?? read(store)) : undefined),
    remove(store) {
      if (remove.run({ $1: store }).changes > 0) quotas.set(store, new QuotaCount());
    },
    save(withEvents) {
      for (const [store, { isChanged, plants, bytes, mostEvents }] of quotas) {
        if (isChanged) update.run({ $1: store, $2: plants, $3: bytes });
        if (withEvents) trim.run({ $1: store, $2: mostEvents });
      }
    },
    forget: () => quotas.clear(),
  };
}
