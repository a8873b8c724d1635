/** Work that takes turns by key, so that much work of one key barely delays the work of other keys. */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

type Piece = () => unknown;

interface Shares {
  /** The largest part of the time that all pieces together take, above 0 and at most 1. */
  readonly share: number;
  /** Milliseconds after which the event loop turns between two pieces. 0: after each piece. */
  readonly slice?: number;
  /** How many pieces may be under way at the same time. Default: 1. */
  readonly together?: number;
}

const { nodeTiming } = performance;

export class FairShare {
  readonly #share: number;
  readonly #slice: number;
  readonly #together: number;
  /** The pieces that wait, by key. The first key has the next turn. */
  readonly #waiting = new Map<string, Set<Piece>>();
  #isServing = false;
  #underWay = 0;
  /** Continues `serve` when a piece has ended. */
  #continue = () => {};
  /** The turn of the event loop of the last call of `isFree`, and when its first piece began. */
  #turn = -1;
  #began = 0;

  constructor({ share, slice = 1, together = 1 }: Shares) {
    this.#share = share;
    this.#slice = slice;
    this.#together = together;
  }

  /**
   * Whether a piece may run immediately, without `add`: none waits, and this turn of the event loop has time left.
   * `now` is performance.now().
   */
  isFree(now: number): boolean {
    if (this.#isServing) return false;
    const { loopCount } = nodeTiming.uvMetricsInfo;
    if (loopCount !== this.#turn) {
      this.#turn = loopCount;
      this.#began = now;
    }
    return now - this.#began < this.#slice;
  }

  /**
   * Runs a piece in its turn, in a later turn of the event loop. A promise that the piece returns must not reject. The
   * piece is under way until it is resolved. Returns a function that removes the piece.
   */
  add(key: string, piece: Piece): () => void {
    const pieces = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, pieces.add(piece));
    if (!this.#isServing) void this.#serve();
    return () => {
      pieces.delete(piece);
    };
  }

  /** Runs a piece in its turn, and resolves to its result. */
  run<Result>(key: string, piece: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.add(key, () => piece().then(resolve, reject));
    });
  }

  async #serve(): Promise<void> {
    this.#isServing = true;
    await nextTurn();
    while (this.#waiting.size > 0) {
      const began = performance.now();
      let taken = 0;
      do {
        void this.#begin(this.#takeNext());
        while (this.#underWay >= this.#together) await new Promise<void>((resolve) => (this.#continue = resolve));
        // After the promises that the piece has resolved, because their work belongs to it.
        await new Promise<void>(process.nextTick);
        taken = performance.now() - began;
      } while (taken < this.#slice && this.#waiting.size > 0);
      await (this.#share === 1 ? nextTurn() : sleep(taken * (1 / this.#share - 1)));
    }
    this.#isServing = false;
  }

  async #begin(piece: Piece | undefined): Promise<void> {
    this.#underWay++;
    await piece?.();
    this.#underWay--;
    this.#continue();
  }

  #takeNext(): Piece | undefined {
    for (const [key, pieces] of this.#waiting) {
      const [piece] = pieces;
      this.#waiting.delete(key);
      if (piece === undefined) continue;
      pieces.delete(piece);
      if (pieces.size > 0) this.#waiting.set(key, pieces);
      return piece;
    }
    return undefined;
  }
}
