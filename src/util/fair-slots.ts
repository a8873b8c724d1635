/** A number of slots for work that waits. Keys take turns for them, and one key may have only a part of the slots. */
import { Budget } from './budget.ts';

/** Lets others have the slot of a piece while it waits, and takes the next turn of its key afterwards. */
export type Rest = (wait: () => Promise<unknown>) => Promise<void>;

export class FairSlots {
  readonly #taken: Budget<'key'>;
  /** What begins the pieces that wait, by key. The first key that may take a slot has the next turn. */
  readonly #waiting = new Map<string, Set<() => void>>();

  /** `each`: how many slots one key may have. */
  constructor({ all, each }: { readonly all: number; readonly each: number }) {
    this.#taken = new Budget({ key: each, all });
  }

  /** Runs a piece in its turn, or as soon as the signal is aborted before its turn. Resolves to its result. */
  async run<Result>(key: string, piece: (rest: Rest) => Promise<Result>, signal: AbortSignal): Promise<Result> {
    let hasSlot = await this.#take(key, signal);
    const free = () => {
      if (!hasSlot) return;
      hasSlot = false;
      this.#taken.release({ key }, 1);
      this.#serve();
    };
    const rest: Rest = async (wait) => {
      free();
      await wait();
      hasSlot = await this.#take(key, signal);
    };
    try {
      return await piece(rest);
    } finally {
      free();
    }
  }

  /** Resolves to true when the key has another slot, or to false as soon as the signal is aborted. */
  #take(key: string, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(key) ?? new Set();
      const begin = () => {
        signal.removeEventListener('abort', leave);
        resolve(true);
      };
      const leave = () => {
        waiting.delete(begin);
        resolve(false);
      };
      signal.addEventListener('abort', leave);
      this.#waiting.set(key, waiting.add(begin));
      this.#serve();
    });
  }

  #serve(): void {
    for (const [key, waiting] of this.#waiting) {
      if (this.#taken.all === this.#taken.limits.all) return;
      const [begin] = waiting;
      if (begin !== undefined && this.#taken.reserve({ key }, 1) !== undefined) continue;
      // The key comes again after all others.
      this.#waiting.delete(key);
      if (begin === undefined) continue;
      waiting.delete(begin);
      if (waiting.size > 0) this.#waiting.set(key, waiting);
      begin();
    }
  }
}
