/**
 * Counts what visitors hold in the memory of this process, for each sandbox, for each address and in total. Refuses a
 * request that exceeds a budget. Other visitors keep their own budgets.
 */
import { retryLater } from '../../errors.ts';
import type { Exchange } from '../../http/exchange.ts';
import { Budget, type Holder, type Limits } from '../../util/budget.ts';
import { payerOf } from './address.ts';
import type { Sandbox } from './sandbox-records.ts';

/** A sandbox and its address. Both have budgets. */
export type Visitor = Pick<Sandbox, 'id' | 'address'>;
type Level = 'sandbox' | 'address';

/** How many requests may wait because of faults. Each holds a connection. */
const WAITING: Limits<Level> = { sandbox: 1_000, address: 2_000, all: 5_000 };
/**
 * How many messages of webhooks may rest. Each keeps up to 32 KiB of messages that its webhook has read, and a
 * connection. They have a budget of their own, so that silent receivers use up nothing that requests need.
 */
const RESTING: Limits<Level> = { sandbox: 20, address: 100, all: 500 };
/** The parts of --sandbox-memory that one address and one sandbox may use. */
const ADDRESS_SHARE = 1 / 4;
const SANDBOX_SHARE = 1 / 8;

export interface Budgets {
  /** Bytes that wait: long bodies, pages and responses, and any response because of a fault. */
  readonly memory: VisitorBudget;
  /** Requests that wait because of a fault, until their response is sent. */
  readonly waiting: VisitorBudget;
  /** Messages that wait for a slow receiver or for the fault `delay`. */
  readonly resting: VisitorBudget;
}

/** `most`: the value of --sandbox-memory. */
export function createBudgets(most: number): Budgets {
  const shares = { sandbox: most * SANDBOX_SHARE, address: most * ADDRESS_SHARE, all: most };
  return {
    memory: new VisitorBudget(
      shares,
      (bytes) => `${Math.floor(bytes / 1_024)} KiB of waiting requests, responses and streams`,
    ),
    waiting: new VisitorBudget(WAITING, (count) => `${count} requests that wait because of faults`),
    resting: new VisitorBudget(RESTING, (count) => `${count} messages that wait for slow receivers or delays`),
  };
}

/** What visitors hold of one resource. Problems name the limit that is reached. */
export class VisitorBudget {
  readonly #budget: Budget<Level>;
  readonly #textOf: (amount: number) => string;

  /** `textOf` describes an amount, for messages. */
  constructor(limits: Limits<Level>, textOf: (amount: number) => string) {
    this.#budget = new Budget(limits);
    this.#textOf = textOf;
  }

  /** The amount that all visitors hold now. */
  get all(): number {
    return this.#budget.all;
  }

  /**
   * Reserves an amount while `run` runs, also after the client has left. Throws a Problem over a limit: 42902 of the
   * sandbox or the address, 50301 of all.
   */
  async during<Result>(visitor: Visitor, amount: number, run: () => Promise<Result>): Promise<Result> {
    const holder = holderOf(visitor);
    this.#requireRoom(this.#budget.reserve(holder, amount));
    try {
      return await run();
    } finally {
      this.#budget.release(holder, amount);
    }
  }

  /** Reserves an amount until the response is sent or the connection has closed. Throws as `during` does. */
  reserveUntilSent(visitor: Visitor, amount: number, { outgoing }: Pick<Exchange, 'outgoing'>): void {
    this.#requireRoom(this.#budget.reserveUntilClosed(outgoing, holderOf(visitor), amount));
  }

  #requireRoom(full: Level | 'all' | undefined): void {
    if (full === undefined) return;
    const most = this.#textOf(this.#budget.limits[full]);
    throw retryLater(full === 'all' ? 50301 : 42902, `${WHO[full]} may have at most ${most}`, 1, 'capacity');
  }
}

const WHO: Readonly<Record<Level | 'all', string>> = {
  sandbox: 'A sandbox',
  address: 'The sandboxes of one address',
  all: 'All sandboxes together',
};

function holderOf(visitor: Visitor): Holder<Level> {
  return { sandbox: visitor.id, address: payerOf(visitor) };
}
