/** The Problem of a full sandbox. The engine counts the plants, and refuses a write that does not fit. */
import { Problem } from '../../errors.ts';
import { QuotaExceeded } from '../../plants/plant-store.ts';

const KIB = 1_024;

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
