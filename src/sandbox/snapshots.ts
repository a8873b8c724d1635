/** Fills the stores of sandboxes, and takes and restores snapshots. */
import { Problem } from '../errors.ts';
import { readGarden } from '../plants/garden.ts';
import type { SandboxCache } from './cache.ts';
import { createQueues } from './queue.ts';
import type { SandboxRecord, SnapshotRecord } from './records.ts';
import { newStore, type Sandbox, type SandboxContext } from './sandbox.ts';

export interface Snapshots {
  /** Puts a sandbox's initial plants into its store. */
  fill(sandbox: SandboxRecord): Promise<void>;
  list(sandbox: SandboxRecord): Promise<readonly SnapshotRecord[]>;
  /** Copies the plants as of one moment. Returns a Problem (40010) if there is no room for another snapshot. */
  take(sandbox: Sandbox): Promise<SnapshotRecord | Problem<40010>>;
  /** Resets all plants in one step to the initial ones or a snapshot. Returns a Problem (40402) if it is missing. */
  reset(sandbox: Sandbox, number: number | undefined): Promise<Problem<40402> | undefined>;
}

const MOST_SNAPSHOTS = 5;
/** A store must be filled within this time, in milliseconds. Later the sweeper may empty it. */
const FILLING = 600_000;

export function createSnapshots({ records, plants, times, now }: SandboxContext, cache: SandboxCache): Snapshots {
  const runInOrder = createQueues();
  const copy = async (from: string, to: string) => {
    for await (const piece of plants.snapshot(from)) await plants.createMany(to, piece);
  };
  const fill = async (sandbox: SandboxRecord, from?: SnapshotRecord) => {
    await records.addStore(sandbox.store, sandbox.id, now() + FILLING, 0);
    if (from !== undefined) await copy(from.store, sandbox.store);
    else if (sandbox.plants === 'garden') await plants.createMany(sandbox.store, readGarden());
  };

  const take = async ({ id, hash, store: storeBefore }: Sandbox) => {
    const advice = 'Delete the sandbox and create another to start again.';
    const tooMany = new Problem(40010, `The sandbox already has ${MOST_SNAPSHOTS} snapshots, the maximum. ${advice}`);
    const existing = await records.snapshots(id);
    if (existing.length >= MOST_SNAPSHOTS) return tooMany;
    const snapshot = { number: (existing.at(-1)?.number ?? 0) + 1, store: newStore(id), createdAt: now() };
    await records.addStore(snapshot.store, id, now() + FILLING, 0);
    // A reset may have come first. Then the sandbox's former store may already be swept.
    await copy((await cache.read(hash))?.store ?? storeBefore, snapshot.store);
    const isKept = await records.keepSnapshot(snapshot);
    if (isKept) await records.keep(snapshot.store, id);
    else await records.leave(snapshot.store, 0);
    return isKept ? snapshot : tooMany;
  };

  return {
    fill,
    list: ({ id }) => records.snapshots(id),
    take: (sandbox) => runInOrder(sandbox.id, () => take(sandbox)),
    async reset(sandbox, number) {
      const snapshots = number === undefined ? [] : await records.snapshots(sandbox.id);
      const from = snapshots.find((one) => one.number === number);
      if (number !== undefined && from === undefined) {
        return new Problem(40402, `The sandbox has no snapshot ${number}.`);
      }
      const store = newStore(sandbox.id);
      await fill({ ...sandbox, store }, from);
      const isTurned = await records.turn(sandbox.id, sandbox.store, store, now());
      cache.forget(sandbox);
      // If another reset came first, its plants stay, and this store is left to the sweeper.
      await records.leave(isTurned ? sandbox.store : store, now() + times.grace);
      if (isTurned) await records.keep(store, sandbox.id);
      return undefined;
    },
  };
}
