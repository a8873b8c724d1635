/** Long pages of a sandbox's plants are read in turn, and their bytes count while they are read. */
import type { AnyResult } from '../../contract/operation.ts';
import type { AnyInput, Matched } from '../../http/exchange.ts';
import { inTurn } from '../../http/in-turn.ts';
import type { VisitorBudget } from './budgets.ts';
import { MAX_SHOWN } from './handlers.ts';
import type { Sandbox, SandboxRecords } from './sandbox-records.ts';

/** Runs an operation on a sandbox. Throws a Problem (42902, 50301) if there is no room for the page that it reads. */
export type ReadPages = (
  sandbox: Sandbox,
  exchange: Matched,
  input: AnyInput,
  run: () => Promise<AnyResult>,
) => Promise<AnyResult>;

/** A page of at most this many bytes is read immediately, without waiting for a turn. */
const SHORT_PAGE = 16_384;
/** The maximum number of bytes of a plant in JSON: each of its 2,048 characters may be an escape of six bytes. */
const LONGEST_PLANT = 12_500;

/** The most plants that an operation reads; 0 for an operation that reads no page. */
function limitOf({ operation: { id } }: Matched, { parameters }: AnyInput): number {
  if (id === 'showPlants') return MAX_SHOWN;
  return id === 'listPlants' ? Number(parameters['limit']) : 0;
}

/** `budget` counts the bytes of the pages that are being read. */
export function createLongPages({ sizeOf }: Pick<SandboxRecords, 'sizeOf'>, budget: VisitorBudget): ReadPages {
  const readLong = async (sandbox: Sandbox, exchange: Matched, most: number, run: () => Promise<AnyResult>) => {
    const bytes = Math.min(most, (await sizeOf(sandbox.store)).bytes);
    return bytes <= SHORT_PAGE ? run() : budget.during(sandbox, bytes, () => inTurn(exchange, run));
  };
  return (sandbox, exchange, input, run) => {
    const most = limitOf(exchange, input) * LONGEST_PLANT;
    return most <= SHORT_PAGE ? run() : readLong(sandbox, exchange, most, run);
  };
}
