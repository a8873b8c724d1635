/** A bounded cache of the values last used. */

export class LruCache<T> {
  readonly #size: number;
  // Two maps instead of one in order of use: to find its first key, V8 steps over every one deleted before it.
  #young = new Map<string, T>();
  #old = new Map<string, T>();

  /** Keeps at least the `size / 2` values last used, and never more than `size`. */
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
