/**
 * Resets sandboxes, and takes and restores snapshots. Each of these tasks is one transaction, which replaces or reads
 * all plants. So a sandbox has at most one task under way. Long tasks run one after another, within a share of the
 * time, and the addresses take turns.
 */
import { Problem } from '../../errors.ts';
import { readGarden } from '../../plants/garden.ts';
import { FairShare } from '../../util/fair-share.ts';
import { payerOf } from './address.ts';
import { VisitorBudget } from './budgets.ts';
import type { SandboxCache } from './cache.ts';
import type { FirstPlants } from './sandbox.generated.ts';
import type { SandboxContext } from './sandbox.ts';
import type { Sandbox, SnapshotRecord } from './sandbox-records.ts';

export interface Snapshots {
  /** Puts the initial plants into the store of a new sandbox. */
  fill(sandbox: Sandbox): Promise<void>;
  list(sandbox: Sandbox): Promise<readonly SnapshotRecord[]>;
  /**
   * Saves the plants as of one moment. Returns a Problem (40010) if there is no room for another snapshot. Throws a
   * Problem (42902, 50301) if too many resets and snapshots are under way.
   */
  take(sandbox: Sandbox): Promise<Pick<SnapshotRecord, 'number' | 'createdAt'> | Problem<40010>>;
  /**
   * Resets all plants in one step to the initial ones or a snapshot. Returns a Problem (40402) if it is missing. Throws
   * a Problem (42902, 50301) as `take` does.
   */
  reset(sandbox: Sandbox, number: number | undefined): Promise<Problem<40402> | undefined>;
}

/** How many resets and snapshots may be under way or wait. */
const UNDER_WAY = { sandbox: 1, address: 50, all: 1_000 };
/** The largest part of the time that long resets and snapshots take. While one runs, other writes wait for it. */
const SHARE = 1 / 10;
/** A reset or snapshot that reads and writes at most this many bytes waits for no turn. */
const SHORT = 32_768;
const MAX_SNAPSHOTS = 5;
/** All snapshots of a sandbox together may take this many times the size of a sandbox. */
const SNAPSHOT_SIZES = 2;
const KIB = 1_024;

export function createSnapshots(
  { records, plants, limits, now }: SandboxContext,
  find: SandboxCache['find'],
): Snapshots {
  const underWay = new VisitorBudget(UNDER_WAY, (most) =>
    most === 1 ? 'one reset or snapshot under way' : `${most} resets and snapshots under way`,
  );
  const long = new FairShare({ share: SHARE });
  /** A sandbox that may have fewer plants than the garden gets the first of them. */
  const initialPlants = (first: FirstPlants, most: number) => (first === 'garden' ? readGarden().slice(0, most) : []);

  /**
   * Runs work when its turn comes. `more`: the bytes that it reads or writes besides the plants of the sandbox. The
   * work gets the maximum number of plants, since a restart may have changed `--sandbox-plants` for new sandboxes.
   */
  const inTurn = async <Result>(sandbox: Sandbox, more: number, work: (mostPlants: number) => Promise<Result>) => {
    const { bytes, mostPlants } = await records.sizeOf(sandbox.store);
    if (bytes + more <= SHORT) return work(mostPlants);
    return long.run(payerOf(sandbox), async () => {
      // The sandbox may have ended meanwhile, and its store may be removed.
      await find(sandbox.hash);
      return work(mostPlants);
    });
  };

  const tooMany = (reason: string) => new Problem(40010, `${reason} Create another sandbox to take more.`);
  const take = async (sandbox: Sandbox) => {
    const existing = await records.snapshots(sandbox.store);
    if (existing.length >= MAX_SNAPSHOTS)
      return tooMany(`The sandbox already has ${MAX_SNAPSHOTS} snapshots, the maximum.`);
    const number = existing.length + 1;
    const createdAt = now();
    const most = SNAPSHOT_SIZES * limits.sandboxSize;
    const mostBytes = existing.reduce((left, { bytes }) => left - bytes, most);
    const terms = { number, at: createdAt, mostBytes };
    const isTaken = await inTurn(sandbox, 0, () => plants.takeSnapshot(sandbox.store, terms));
    if (isTaken) return { number, createdAt };
    if ((await records.snapshots(sandbox.store)).length >= number)
      return new Problem(40010, 'Another snapshot was taken at the same time. Repeat the request.');
    return tooMany(`All snapshots of a sandbox together may take ${Math.floor(most / KIB)} KiB.`);
  };

  const reset = async (sandbox: Sandbox, number: number | undefined) => {
    const { store } = sandbox;
    const snapshots = number === undefined ? [] : await records.snapshots(store);
    const from = snapshots.find((one) => one.number === number);
    if (number !== undefined && from === undefined) return new Problem(40402, `The sandbox has no snapshot ${number}.`);
    await inTurn(sandbox, from?.bytes ?? 0, (mostPlants) =>
      plants.replaceAll(store, from?.number ?? initialPlants(sandbox.plants, mostPlants)),
    );
    return undefined;
  };

  return {
    async fill({ store, plants: first }) {
      await records.addQuota(store, { plants: limits.sandboxPlants, bytes: limits.sandboxSize });
      await plants.replaceAll(store, initialPlants(first, limits.sandboxPlants));
    },
    list: ({ store }) => records.snapshots(store),
    take: (sandbox) => underWay.during(sandbox, 1, () => take(sandbox)),
    reset: (sandbox, number) => underWay.during(sandbox, 1, () => reset(sandbox, number)),
  };
}
