/** Heavy work for visitors: in turns, and at most a share of the time, so that it barely delays other requests. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Turns } from '../../util/turns.ts';

export interface Work {
  /** Runs a piece of work when its turn comes. Visitors take turns, by `key`. */
  run<Result>(key: string, piece: () => Promise<Result>): Promise<Result>;
}

/** `share`: the largest part of the time that all pieces together take, above 0 and at most 1. */
export function createWork(share: number): Work {
  const turns = new Turns<() => Promise<void>>();
  let isRunning = false;

  const runAll = async () => {
    if (isRunning) return;
    isRunning = true;
    for (let piece = turns.takeNext(); piece !== undefined; piece = turns.takeNext()) {
      const began = performance.now();
      await piece();
      await sleep((performance.now() - began) * (1 / share - 1));
    }
    isRunning = false;
  };

  return {
    run<Result>(key: string, piece: () => Promise<Result>) {
      return new Promise<Result>((resolve, reject) => {
        turns.add(key, () => piece().then(resolve, reject));
        void runAll();
      });
    },
  };
}
