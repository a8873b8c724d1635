/** A bounded cache that drops what was not used for longest. */

export class LruCache<T> {
  readonly #size: number;
  /** A Map keeps its order of insertion: the first is the one that was not used for longest. */
  readonly #values = new Map<string, T>();

  constructor(size: number) {
    this.#size = size;
  }

  get(key: string): T | undefined {
    const value = this.#values.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  set(key: string, value: T): void {
    this.#values.delete(key);
    this.#values.set(key, value);
    if (this.#values.size > this.#size) this.#values.delete(this.#values.keys().next().value as string);
  }
}
