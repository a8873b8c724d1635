/** Counts what is held of one resource, such as bytes or connections. Refuses an amount that exceeds a limit. */
import type { Writable } from 'node:stream';

/** The most that one key of each level may hold, and that all holders together may hold. */
export type Limits<Level extends string> = Readonly<Record<Level | 'all', number>>;

/** The key of a holder at each level. Holders with the same key share a limit. */
export type Holder<Level extends string> = Readonly<Record<Keyed<Level>, string>>;

type Keyed<Level extends string> = Exclude<Level, 'all'>;

/** Amounts are whole numbers. Sums of fractions would not return to 0. */
export class Budget<Level extends string> {
  readonly limits: Limits<Level>;
  /** What each key of each level holds. A key that holds nothing has no entry. */
  readonly #held: ReadonlyMap<Keyed<Level>, Map<string, number>>;
  #all = 0;
  /** What is held until a stream closes. */
  readonly #untilClosed = new Map<Writable, number>();

  constructor(limits: Limits<Level>) {
    this.limits = limits;
    const levels = Object.keys(limits).filter((level): level is Keyed<Level> => level !== 'all');
    this.#held = new Map(levels.map((level) => [level, new Map()]));
  }

  /** What all holders together hold now. */
  get all(): number {
    return this.#all;
  }

  /** Reserves an amount at every level. Returns the first level without room for it, and then reserves nothing. */
  reserve(holder: Holder<Level>, amount: number): Level | 'all' | undefined {
    for (const [level, amounts] of this.#held) {
      if ((amounts.get(holder[level]) ?? 0) + amount > this.limits[level]) return level;
    }
    if (this.#all + amount > this.limits.all) return 'all';
    this.#add(holder, amount);
    return undefined;
  }

  /** Reserves an amount until a stream closes. Every amount of a stream must have the same holder. */
  reserveUntilClosed(stream: Writable, holder: Holder<Level>, amount: number): Level | 'all' | undefined {
    const full = this.reserve(holder, amount);
    if (full !== undefined) return full;
    // A destroyed stream has already emitted 'close', so the amount would never be released.
    if (stream.destroyed) {
      this.release(holder, amount);
      return undefined;
    }
    const before = this.#untilClosed.get(stream);
    this.#untilClosed.set(stream, (before ?? 0) + amount);
    if (before === undefined)
      stream.once('close', () => {
        this.release(holder, this.#untilClosed.get(stream) ?? 0);
        this.#untilClosed.delete(stream);
      });
    return undefined;
  }

  /** Releases an amount, or part of an amount, that the same holder has reserved. */
  release(holder: Holder<Level>, amount: number): void {
    this.#add(holder, -amount);
  }

  #add(holder: Holder<Level>, amount: number): void {
    for (const [level, amounts] of this.#held) {
      const key = holder[level];
      const sum = (amounts.get(key) ?? 0) + amount;
      if (sum === 0) amounts.delete(key);
      else amounts.set(key, sum);
    }
    this.#all += amount;
  }
}
