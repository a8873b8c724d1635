/** The quotas of sandboxes. The engine counts the plants, and refuses a write that does not fit. */
import { Problem } from '../../errors.ts';
import { QuotaExceeded } from '../../plants/quota.ts';
import type { Statements } from '../../stores/engine.ts';

/** The number of plants of a store, and the bytes that they take. */
export interface Amount {
  readonly plants: number;
  readonly bytes: number;
}

export interface Quotas {
  /** Gives a new store its quota. Must be called before its first write. */
  add(store: string): Promise<void>;
  sizeOf(store: string): Promise<Amount>;
}

/** The number of events that a sandbox keeps. */
const EVENTS = 500;
const KIB = 1_024;

export function createQuotas(statements: Statements, most: { readonly plants: number; readonly size: number }): Quotas {
  return {
    async add(store) {
      const sql = `INSERT INTO quotas (store, plants, bytes, most_plants, most_bytes, most_events)
        VALUES ($1, 0, 0, $2, $3, $4) ON CONFLICT DO NOTHING RETURNING store`;
      await statements.write(sql, [store, most.plants, most.size, EVENTS]);
    },
    sizeOf: (store) => sizeOfStore(statements, store),
  };
}

export async function sizeOfStore({ read }: Statements, store: string): Promise<Amount> {
  const [row = [0, 0]] = await read('SELECT plants, bytes FROM quotas WHERE store = $1', [store]);
  return { plants: Number(row[0]), bytes: Number(row[1]) };
}

/** Runs a write to a sandbox. Throws a Problem (40010) if it does not fit. */
export async function refuseWhenFull<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof QuotaExceeded)) throw error;
    const { limited, most } = error;
    const limit =
      limited === 'plants'
        ? `its maximum number of plants is ${most}`
        : `its plants may take ${Math.floor(most / KIB)} KiB`;
    throw new Problem(40010, `The sandbox is full: ${limit}. Delete plants, or reset the sandbox.`);
  }
}
