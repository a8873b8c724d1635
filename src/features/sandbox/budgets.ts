/**
 * Counts what visitors hold in the memory of this process, for each sandbox, for each address and in total. Refuses a
 * request that exceeds a budget. Other visitors keep their own budgets.
 */
import { retryLater } from '../../errors.ts';
import type { Exchange } from '../../http/exchange.ts';
import { tallyUntilSent } from '../../http/reserve.ts';

/** A sandbox and its address, which have budgets. A `SandboxRecord` is a visitor. */
export interface Visitor {
  /** The id of the sandbox. */
  readonly id: string;
  /**
   * The keyed hash of the address that created the sandbox. For IPv6, the hash of its /48 comes first, before a slash.
   */
  readonly address: string;
}

export interface Limits {
  readonly sandbox: number;
  readonly address: number;
  readonly all: number;
}

/** How many requests may wait because of faults. Each holds a connection. */
const WAITING: Limits = { sandbox: 1_000, address: 2_000, all: 5_000 };
/** The parts of --sandbox-memory that one address and one sandbox may use. */
const ADDRESS_SHARE = 1 / 4;
const SANDBOX_SHARE = 1 / 8;

export interface Budgets {
  /** Bytes that wait: long bodies and responses for their client, and any response because of a fault. */
  readonly responses: Held;
  /** Requests that wait because of a fault, until their response is sent. */
  readonly waiting: Held;
}

/** `memory`: the most bytes of all responses that wait. */
export function createBudgets(memory: number): Budgets {
  const responses = { sandbox: memory * SANDBOX_SHARE, address: memory * ADDRESS_SHARE, all: memory };
  return {
    responses: new Held(
      responses,
      (bytes) => `${Math.floor(bytes / 1_024)} KiB of waiting requests, responses and streams`,
    ),
    waiting: new Held(WAITING, (count) => `${count} requests that wait because of faults`),
  };
}

/** What visitors hold of one resource. */
export class Held {
  readonly #limits: Limits;
  readonly #textOf: (amount: number) => string;
  /** The amounts by sandbox and by address. */
  readonly #sandboxes = new Map<string, number>();
  readonly #addresses = new Map<string, number>();
  #all = 0;
  readonly #tally = tallyUntilSent();

  /** `textOf` describes an amount, for messages. */
  constructor(limits: Limits, textOf: (amount: number) => string) {
    this.#limits = limits;
    this.#textOf = textOf;
  }

  /** The amount that all visitors hold now. */
  get all(): number {
    return this.#all;
  }

  /** Throws a Problem, and reserves nothing, over a limit: 42902 of the sandbox or the address, 50301 of all. */
  reserve(visitor: Visitor, amount: number): void {
    this.#requireRoom(visitor, amount);
    this.#add(visitor, amount);
  }

  release(visitor: Visitor, amount: number): void {
    this.#add(visitor, -amount);
  }

  /** Reserves an amount while `run` runs, also after the client has left. Throws as `reserve` does. */
  async during<Result>(visitor: Visitor, amount: number, run: () => Promise<Result>): Promise<Result> {
    this.reserve(visitor, amount);
    try {
      return await run();
    } finally {
      this.release(visitor, amount);
    }
  }

  /** Reserves an amount until the response is sent or the connection has closed. Throws as `reserve` does. */
  reserveUntilSent(visitor: Visitor, amount: number, { outgoing }: Pick<Exchange, 'outgoing'>): void {
    this.reserve(visitor, amount);
    this.#tally(outgoing, amount, (sum) => this.release(visitor, sum));
  }

  #requireRoom({ id, address }: Visitor, amount: number): void {
    const { sandbox, address: ofAddress, all } = this.#limits;
    const refuse = (code: 42902 | 50301, who: string, limit: number) =>
      retryLater(code, `${who} at most ${this.#textOf(limit)}`, 1, 'capacity');
    if (held(this.#sandboxes, id) + amount > sandbox) throw refuse(42902, 'A sandbox may have', sandbox);
    if (held(this.#addresses, networkOf(address)) + amount > ofAddress)
      throw refuse(42902, 'The sandboxes of one address may have', ofAddress);
    if (this.#all + amount > all) throw refuse(50301, 'All sandboxes together may have', all);
  }

  #add({ id, address }: Visitor, amount: number): void {
    addTo(this.#sandboxes, id, amount);
    addTo(this.#addresses, networkOf(address), amount);
    this.#all += amount;
  }
}

/**
 * The first hash of an address: for IPv6, its /48. One visitor usually has a whole /48, so its networks share a budget.
 */
function networkOf(address: string): string {
  return address.split('/', 1)[0] ?? address;
}

function held(amounts: ReadonlyMap<string, number>, key: string): number {
  return amounts.get(key) ?? 0;
}

function addTo(amounts: Map<string, number>, key: string, amount: number): void {
  const sum = held(amounts, key) + amount;
  if (sum > 0) amounts.set(key, sum);
  else amounts.delete(key);
}
