/** The Problem of a full sandbox. The engine counts the plants, and refuses a write that does not fit. */
import { Problem } from '../../errors.ts';
import { QuotaExceeded } from '../../plants/plant-store.ts';

const KIB = 1_024;

/** Returns the Problem (40010) for a write that does not fit into its sandbox, and any other error as it is. */
export function explainFull(error: unknown): unknown {
  if (!(error instanceof QuotaExceeded)) return error;
  const { limited, most } = error;
  const limit =
    limited === 'plants'
      ? `its maximum number of plants is ${most}`
      : `its plants may take ${Math.floor(most / KIB)} KiB`;
  return new Problem(40010, `The sandbox is full: ${limit}. Delete plants, or reset the sandbox.`);
}
