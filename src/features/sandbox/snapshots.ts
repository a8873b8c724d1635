/** Fills the stores of sandboxes, and takes and restores snapshots. */
import { Problem, retryLater } from '../../errors.ts';
import { readGarden } from '../../plants/garden.ts';
import type { StoredPlant } from '../../plants/plant.ts';
import { plantSize } from '../../plants/size.ts';
import type { SandboxCache } from './cache.ts';
import { type Copy, createCopies } from './copies.ts';
import type { SandboxRecord, SnapshotRecord } from './records.ts';
import type { FirstPlants } from './sandbox.generated.ts';
import { newStore, type Sandbox, type SandboxContext } from './sandbox.ts';

export interface Snapshots {
  /** Puts a sandbox's initial plants into its store. */
  fill(sandbox: SandboxRecord): Promise<void>;
  list(sandbox: SandboxRecord): Promise<readonly SnapshotRecord[]>;
  /**
   * Copies the plants as of one moment. Returns a Problem (40010) if there is no room for another snapshot. Throws a
   * Problem (42902) if another copy of the sandbox is under way.
   */
  take(sandbox: Sandbox): Promise<SnapshotRecord | Problem<40010>>;
  /**
   * Resets all plants in one step to the initial ones or a snapshot. Returns a Problem (40402) if it is missing. Throws
   * a Problem (42902) if another copy of the sandbox is under way, or if earlier resets left too many plants.
   */
  reset(sandbox: Sandbox, number: number | undefined): Promise<Problem<40402> | undefined>;
}

const MOST_SNAPSHOTS = 5;
/** All snapshots of a sandbox together may take this many times the size of a sandbox. */
const SNAPSHOT_SIZES = 2;
/** A store that a reset left counts at least this many bytes, until it is deleted. */
const LEAST_LEFT = 4_096;
/** A store must be filled within this time, in milliseconds. Later the sweeper may empty it. */
const FILLING = 600_000;
/** The bytes of a piece that is written at once, and the plants of a page that is read at once. */
const PIECE = 65_536;
const PAGE = 250;
/** More plants than a sandbox can have. */
const ALL = 2 ** 31 - 1;
const KIB = 1_024;

export function createSnapshots(
  { records, quotas, plants, limits, times, now }: SandboxContext,
  cache: SandboxCache,
): Snapshots {
  const copies = createCopies();
  const initialPlants = (first: FirstPlants) => (first === 'garden' ? readGarden() : []);
  const sizeOf = async (store: string) => (await quotas.sizeOf(store)).bytes;
  /** The sandbox as it is now: a reset may have come first, and its former store may already be swept. */
  const renew = async (sandbox: Sandbox) => (await cache.read(sandbox.hash)) ?? sandbox;
  const addStore = async (store: string, id: string, bytes: number) => {
    await records.addStore(store, id, now() + FILLING, bytes);
    await quotas.add(store);
  };

  /** Fills a store. `from`: undefined for the initial plants. */
  const fill = async ({ id, store, plants: first }: SandboxRecord, from: SnapshotRecord | undefined, copy: Copy) => {
    const initial = from === undefined ? initialPlants(first) : [];
    const bytes = from === undefined ? sum(initial) : (from.bytes ?? (await sizeOf(from.store)));
    await addStore(store, id, bytes);
    await copy(bytes, async (runPiece) => {
      if (from === undefined) {
        await runPiece(() => plants.fill(store, initial));
        return;
      }
      // Nothing changes a snapshot, so it can be read page by page.
      for (let after: bigint | undefined, isLast = false; !isLast; ) {
        const page = await runPiece(() => plants.list(from.store, { after, limit: PAGE }));
        for (const piece of piecesOf(page)) await runPiece(() => plants.fill(store, piece));
        after = page.at(-1)?.id;
        isLast = page.length < PAGE;
      }
    });
  };

  const tooMany = (reason: string) =>
    new Problem(40010, `${reason} Delete the sandbox and create another to start again.`);
  const problemOf = async (existing: readonly SnapshotRecord[], bytes: number): Promise<Problem<40010> | undefined> => {
    if (existing.length >= MOST_SNAPSHOTS) {
      return tooMany(`The sandbox already has ${MOST_SNAPSHOTS} snapshots, the maximum.`);
    }
    const most = SNAPSHOT_SIZES * limits.size;
    const sizes = await Promise.all(existing.map(({ bytes, store }) => bytes ?? sizeOf(store)));
    if (sizes.reduce((all, one) => all + one, bytes) <= most) return undefined;
    return tooMany(`All snapshots of a sandbox together may take ${Math.floor(most / KIB)} KiB.`);
  };
  const take = async (sandbox: Sandbox, copy: Copy): Promise<SnapshotRecord | Problem<40010>> => {
    const { id, store: from } = await renew(sandbox);
    const existing = await records.snapshots(id);
    const bytes = await sizeOf(from);
    const problem = await problemOf(existing, bytes);
    if (problem !== undefined) return problem;
    const store = newStore(id);
    const snapshot = { number: (existing.at(-1)?.number ?? 0) + 1, store, createdAt: now(), bytes };
    await addStore(store, id, bytes);
    await copy(bytes, async (runPiece) => {
      // One statement reads one moment.
      const all = await runPiece(() => plants.list(from, { limit: ALL }));
      for (const piece of piecesOf(all)) await runPiece(() => plants.fill(store, piece));
    });
    if (await records.keepSnapshot(snapshot)) {
      await records.keep(store, id);
      return snapshot;
    }
    await records.leave(store, 0);
    return new Problem(40010, 'Another snapshot was taken at the same time. Repeat the request.');
  };

  /** Throws a Problem (42902) if the plants that resets left would take too much space. Returns those of the store. */
  const requireRoomToLeave = async (sandbox: Sandbox): Promise<number> => {
    const left = await records.left(sandbox, LEAST_LEFT);
    const bytes = await sizeOf(sandbox.store);
    if (left.bytes === 0 || left.bytes + Math.max(LEAST_LEFT, bytes) <= limits.size) return bytes;
    const seconds = Math.max(1, Math.ceil((left.until + times.sweep - now()) / 1_000));
    const most = `at most ${Math.floor(limits.size / KIB)} KiB`;
    throw retryLater(42902, `The service keeps ${most} of plants that your resets replaced`, seconds);
  };
  const reset = async (before: Sandbox, number: number | undefined, copy: Copy) => {
    const sandbox = await renew(before);
    const snapshots = number === undefined ? [] : await records.snapshots(sandbox.id);
    const from = snapshots.find((one) => one.number === number);
    if (number !== undefined && from === undefined) {
      return new Problem(40402, `The sandbox has no snapshot ${number}.`);
    }
    const bytes = await requireRoomToLeave(sandbox);
    const store = newStore(sandbox.id);
    await fill({ ...sandbox, store }, from, copy);
    const isTurned = await records.turn(sandbox.id, sandbox.store, store, now());
    cache.forget(sandbox);
    // If a reset of another replica came first, its plants stay, and this store is left to the sweeper.
    if (isTurned) {
      await records.leave(sandbox.store, now() + times.grace, bytes);
      await records.keep(store, sandbox.id);
      // Nobody can read the events of the former store any more, and no budget counts them.
      await records.removeEvents(sandbox.store);
    } else await records.leave(store, now() + times.grace);
    return undefined;
  };

  return {
    fill: (sandbox) => fill(sandbox, undefined, (_, fillNow) => fillNow((piece) => piece())),
    list: ({ id }) => records.snapshots(id),
    take: (sandbox) => copies.run(sandbox, (copy) => take(sandbox, copy)),
    reset: (sandbox, number) => copies.run(sandbox, (copy) => reset(sandbox, number, copy)),
  };
}

function sum(plants: readonly StoredPlant[]): number {
  return plants.reduce((bytes, plant) => bytes + plantSize(plant), 0);
}

function* piecesOf(plants: readonly StoredPlant[]): Generator<readonly StoredPlant[]> {
  let piece: StoredPlant[] = [];
  let bytes = 0;
  for (const plant of plants) {
    piece.push(plant);
    bytes += plantSize(plant);
    if (bytes < PIECE) continue;
    yield piece;
    [piece, bytes] = [[], 0];
  }
  if (piece.length > 0) yield piece;
}
