/** Copies plants for resets and snapshots: one copy at a time for a sandbox, and long copies in turns and in pieces. */

import { Turns } from '../../util/turns.ts';
import { Held, type Limits, type Visitor } from './budgets.ts';
import { createWork } from './work.ts';

export interface Copies {
  /**
   * Runs a reset or a snapshot. Throws a Problem before it begins: 42902 if another one of the sandbox is under way or
   * too many of its address are, 50301 if too many of all visitors are.
   */
  run<Result>(sandbox: Visitor, work: (copy: Copy) => Promise<Result>): Promise<Result>;
}

/** Copies plants that take this many bytes, when their turn comes. `fill` passes each read and write to `runPiece`. */
export type Copy = (bytes: number, fill: (runPiece: RunPiece) => Promise<void>) => Promise<void>;
type RunPiece = <Result>(piece: () => Promise<Result>) => Promise<Result>;

/** How many resets and snapshots may be under way or wait. */
const LIMITS: Limits = { sandbox: 1, address: 50, all: 1_000 };
/** How many long copies run at the same time. Each holds the plants of a sandbox in memory. */
const TOGETHER = 2;
/** The largest part of the time in which pieces of long copies are read and written. */
const SHARE = 1 / 4;
/** A copy of at most this many bytes is one piece, and waits for no turn. */
const SHORT = 16_384;

export function createCopies(): Copies {
  const held = new Held(LIMITS, (most) =>
    most === 1 ? 'one reset or snapshot under way' : `${most} resets and snapshots under way`,
  );
  const work = createWork(SHARE);
  const turns = new Turns<() => void>();
  let running = 0;

  const waitForTurn = async (address: string) => {
    if (running < TOGETHER) running++;
    else await new Promise<void>((resolve) => turns.add(address, resolve));
  };
  const passTurn = () => {
    const next = turns.takeNext();
    if (next === undefined) running--;
    else next();
  };

  return {
    async run(sandbox, doWork) {
      held.reserve(sandbox, 1);
      try {
        return await doWork(async (bytes, fill) => {
          if (bytes <= SHORT) return fill((piece) => piece());
          await waitForTurn(sandbox.address);
          try {
            await fill((piece) => work.run(sandbox.address, piece));
          } finally {
            passTurn();
          }
        });
      } finally {
        held.release(sandbox, 1);
      }
    },
  };
}
