/** A bounded cache of the most recently used values. */

/** `most`: the largest sum of the weights of all values. `of` returns the weight of a value. */
interface Weights<T> {
  readonly most: number;
  of(value: T): number;
}

export class LruCache<T> {
  readonly #size: number;
  readonly #weights: Weights<T>;
  // Two maps, because finding the oldest key of one map is slow: V8 steps over all deleted keys before it.
  #young = new Map<string, T>();
  #old = new Map<string, T>();
  /** The sum of the weights of all values that were put into `#young`. */
  #weight = 0;

  /**
   * Keeps at least the `size / 2` most recently used values, and never more than `size`. With `weights` it keeps fewer
   * if they are too heavy together. A value over half of `weights.most` is not kept. Without `weights`, no value is too
   * heavy.
   */
  constructor(size: number, weights: Weights<T> = { most: 0, of: () => 0 }) {
    this.#size = size;
    this.#weights = weights;
  }

  get(key: string): T | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  delete(key: string): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }

  set(key: string, value: T): void {
    const most = this.#weights.most / 2;
    const weight = this.#weights.of(value);
    if (weight > most) {
      this.delete(key);
      return;
    }
    if (this.#weight + weight > most) this.#turn();
    this.#young.set(key, value);
    this.#weight += weight;
    if (this.#young.size >= this.#size / 2) this.#turn();
  }

  /** Forgets the values that were not used since the last turn. */
  #turn(): void {
    this.#old = this.#young;
    this.#young = new Map();
    this.#weight = 0;
  }
}
