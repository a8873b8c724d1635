/** A bounded cache of the most recently used values. */

export class LruCache<T> {
  readonly #size: number;
  // Two maps, because finding the oldest key of one map is slow: V8 steps over all deleted keys before it.
  #young = new Map<string, T>();
  #old = new Map<string, T>();

  /** Keeps at least the `size / 2` most recently used values, and never more than `size`. */
  constructor(size: number) {
    this.#size = size;
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
    this.#young.set(key, value);
    if (this.#young.size < this.#size / 2) return;
    this.#old = this.#young;
    this.#young = new Map();
  }
}
