/** Heavy work for visitors: in turns, and at most a share of the time, so that it barely delays other requests. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface Work {
  /** Runs a piece of work when its turn comes. Visitors take turns, by `key`. */
  run<Result>(key: string, piece: () => Promise<Result>): Promise<Result>;
}

/** `share`: the largest part of the time that all pieces together take, above 0 and at most 1. */
export function createWork(share: number): Work {
  /** The pieces that wait, by key. The first key has the next turn. */
  const waiting = new Map<string, (() => Promise<void>)[]>();
  let isRunning = false;

  const takeNext = (): (() => Promise<void>) | undefined => {
    for (const [key, [piece, ...others]] of waiting) {
      waiting.delete(key);
      if (others.length > 0) waiting.set(key, others);
      return piece;
    }
    return undefined;
  };
  const runAll = async () => {
    if (isRunning) return;
    isRunning = true;
    for (let piece = takeNext(); piece !== undefined; piece = takeNext()) {
      const began = performance.now();
      await piece();
      await sleep((performance.now() - began) * (1 / share - 1));
    }
    isRunning = false;
  };

  return {
    run<Result>(key: string, piece: () => Promise<Result>) {
      return new Promise<Result>((resolve, reject) => {
        const pieces = waiting.get(key) ?? [];
        pieces.push(() => piece().then(resolve, reject));
        waiting.set(key, pieces);
        void runAll();
      });
    },
  };
}
