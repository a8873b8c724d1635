/** Work that takes turns by key, so that much work of one key barely delays the work of other keys. */
import { setImmediate as nextTurn } from 'node:timers/promises';

type Piece = () => unknown;

interface Shares {
  /** The largest part of the time that all pieces together take, above 0 and at most 1. */
  readonly share: number;
  /**
   * What is shared: all time, or the time of this thread. A piece that waits for another thread or for a server uses no
   * time of this thread meanwhile. Default: all time.
   */
  readonly of?: 'time' | 'thread';
  /**
   * Milliseconds after which the event loop turns between two pieces. 0: after each piece. A key that has used less
   * since the last pause need not wait for the present pause.
   */
  readonly slice?: number;
}

const { nodeTiming } = performance;

/** The longest pause in which further pieces may run, in milliseconds. So many keys together cannot defer pauses. */
const LONGEST_DEFERRED = 100;
/**
 * The longest pause, in milliseconds. A piece that took seconds has waited for a store that did not respond. A pause of
 * many times these seconds would begin when the store responds again.
 */
const LONGEST_PAUSE = 2_000;

export class FairShare {
  readonly #share: number;
  readonly #of: 'time' | 'thread';
  readonly #slice: number;
  /** The pieces that wait, by key. The first key has the next turn. */
  readonly #waiting = new Map<string, Set<Piece>>();
  #isServing = false;
  /** When the pause ends that follows the pieces so far. Pieces that run before then make it longer. */
  #pauseEnds = 0;
  /** The time that each key has used since the last pause, in milliseconds. */
  readonly #used = new Map<string, number>();
  /** Ends the wait for the end of the pause. */
  #wake = () => {};
  /** The turn of the event loop of the last call of `isFree`, and when its first piece began. */
  #turn = -1;
  #began = 0;

  constructor({ share, of = 'time', slice = 1 }: Shares) {
    this.#share = share;
    this.#of = of;
    this.#slice = slice;
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
   * Runs a piece in its turn, in a later turn of the event loop. The next piece waits for a promise that it returns,
   * which must not reject. Returns a function that removes the piece.
   */
  add(key: string, piece: Piece): () => void {
    const pieces = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, pieces.add(piece));
    if (!this.#isServing) void this.#serve();
    else if (this.#share < 1 && this.#mayDefer(key)) this.#wake();
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
      if (began >= this.#pauseEnds) this.#used.clear();
      let now = began;
      for (let next = this.#takeNext(now); next !== undefined; next = this.#takeNext(now)) {
        const turn = this.#of === 'thread' ? nodeTiming.uvMetricsInfo.loopCount : 0;
        const running = next.piece();
        const kept = performance.now() - now;
        await running;
        // After the promises that the piece has resolved, because their work belongs to it.
        await new Promise<void>(process.nextTick);
        const taken = performance.now() - now;
        now += taken;
        const hasLeftThread = this.#of === 'thread' && turn !== nodeTiming.uvMetricsInfo.loopCount;
        if (this.#share < 1) this.#count(next.key, hasLeftThread ? kept : taken, now);
        if (now - began >= this.#slice) break;
      }
      // If no piece ran, every key that waits must wait for the pause.
      await (now > began || this.#share === 1 ? nextTurn() : this.#pause());
    }
    this.#isServing = false;
  }

  #count(key: string, taken: number, now: number): void {
    this.#used.set(key, (this.#used.get(key) ?? 0) + taken);
    // The piece itself was no pause.
    const begins = Math.max(now, this.#pauseEnds + taken);
    this.#pauseEnds = Math.min(begins + taken * (1 / this.#share - 1), now + LONGEST_PAUSE);
  }

  /** Waits until the pause ends, or a key comes that need not wait for it. */
  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.max(0, this.#pauseEnds - performance.now()));
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Whether a key need not wait for the present pause. */
  #mayDefer(key: string): boolean {
    return (this.#used.get(key) ?? 0) < this.#slice && this.#pauseEnds - performance.now() < LONGEST_DEFERRED;
  }

  #takeNext(now: number): { readonly key: string; readonly piece: Piece } | undefined {
    for (const [key, pieces] of this.#waiting) {
      if (pieces.size > 0 && now < this.#pauseEnds && !this.#mayDefer(key)) continue;
      const [piece] = pieces;
      this.#waiting.delete(key);
      if (piece === undefined) continue;
      pieces.delete(piece);
      if (pieces.size > 0) this.#waiting.set(key, pieces);
      return { key, piece };
    }
    return undefined;
  }
}
