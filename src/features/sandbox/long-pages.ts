/** Long pages of a sandbox's plants are read in turn, and their bytes count while they are read. */
import type { AnyInput, Matched } from '../../http/exchange.ts';
import { inTurn } from '../../http/in-turn.ts';
import type { VisitorBudget } from './budgets.ts';
import type { Operate } from './faults/apply-faults.ts';
import { MAX_SHOWN } from './handlers.ts';
import type { Sandbox, SandboxRecords } from './sandbox-records.ts';

/** Runs an operation on a sandbox. Throws a Problem (42902, 50301) if there is no room for the page that it reads. */
export type ReadPages = (sandbox: Sandbox, exchange: Matched, input: AnyInput, run: Operate) => ReturnType<Operate>;

/** A page of at most this many bytes is read immediately, without waiting for a turn. */
const SHORT_PAGE = 16_384;
/** The maximum number of bytes of a plant in JSON: each of its 2,048 characters may be an escape of six bytes. */
const LONGEST_PLANT = 12_500;

/** The most bytes of the page that an operation reads; 0 for an operation that reads no page. */
function bytesOf({ operation: { id } }: Matched, { parameters }: AnyInput): number {
  if (id === 'showPlants') return MAX_SHOWN * LONGEST_PLANT;
  return id === 'listPlants' ? Number(parameters['limit']) * LONGEST_PLANT : 0;
}

/** `budget` counts the bytes of the pages that are being read. */
export function createLongPages({ sizeOf }: Pick<SandboxRecords, 'sizeOf'>, budget: VisitorBudget): ReadPages {
  const readLong: ReadPages = async (sandbox, exchange, input, run) => {
    const bytes = Math.min(bytesOf(exchange, input), (await sizeOf(sandbox.store)).bytes);
    return bytes <= SHORT_PAGE ? run() : budget.during(sandbox, bytes, () => inTurn(exchange, run));
  };
  return (sandbox, exchange, input, run) =>
    bytesOf(exchange, input) <= SHORT_PAGE ? run() : readLong(sandbox, exchange, input, run);
}
