/** A number of slots for work that waits. Keys take turns for them, and one key may have only a part of the slots. */
import { Budget } from './budget.ts';

type Piece = () => Promise<unknown>;

export class FairSlots {
  readonly #taken: Budget<'key'>;
  /** The pieces that wait, by key. The first key that may take a slot has the next turn. */
  readonly #waiting = new Map<string, Set<Piece>>();

  /** `each`: how many slots one key may have. */
  constructor({ all, each }: { readonly all: number; readonly each: number }) {
    this.#taken = new Budget({ key: each, all });
  }

  /** Runs a piece in its turn, or as soon as the signal is aborted before its turn. Resolves to its result. */
  run<Result>(key: string, piece: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    return new Promise((resolve, reject) => {
      const pieces = this.#waiting.get(key) ?? new Set();
      const begin = () => {
        signal.removeEventListener('abort', leave);
        return piece().then(resolve, reject);
      };
      const leave = () => {
        pieces.delete(begin);
        void begin();
      };
      if (signal.aborted) return leave();
      signal.addEventListener('abort', leave);
      this.#waiting.set(key, pieces.add(begin));
      this.#serve();
    });
  }

  #serve(): void {
    for (const [key, pieces] of this.#waiting) {
      if (this.#taken.all === this.#taken.limits.all) return;
      const [piece] = pieces;
      if (piece !== undefined && this.#taken.reserve({ key }, 1) !== undefined) continue;
      // The key comes again after all others.
      this.#waiting.delete(key);
      if (piece === undefined) continue;
      pieces.delete(piece);
      if (pieces.size > 0) this.#waiting.set(key, pieces);
      void piece().then(() => {
        this.#taken.release({ key }, 1);
        this.#serve();
      });
    }
  }
}
