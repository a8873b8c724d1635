/**
 * Items that wait for their turn. The keys take turns, so that many items of one key barely delay the items of other
 * keys.
 */
export class Turns<Item> {
  /** The first key has the next turn. */
  readonly #waiting = new Map<string, Item[]>();

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  add(key: string, item: Item): void {
    const items = this.#waiting.get(key);
    if (items === undefined) this.#waiting.set(key, [item]);
    else items.push(item);
  }

  /** Removes the next item; undefined if none waits. */
  takeNext(): Item | undefined {
    for (const [key, items] of this.#waiting) {
      const item = items.shift();
      this.#waiting.delete(key);
      if (items.length > 0) this.#waiting.set(key, items);
      return item;
    }
    return undefined;
  }
}
