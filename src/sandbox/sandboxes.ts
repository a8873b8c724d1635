/** Sandboxes: stores of their own for everyone who asks, until they expire. */
import { createHmac, randomInt } from 'node:crypto';
import { generateToken, hashToken } from '../auth/token.ts';
import { Problem, retryLater } from '../errors.ts';
import { LruCache } from '../lru-cache.ts';
import type { Logger } from '../observe/log.ts';
import { readGarden } from '../plants/garden.ts';
import type { PlantStore } from '../plants/plant-store.ts';
import type { Engine } from '../stores/engine.ts';
import { type SandboxRecord, type SnapshotRecord, sandboxRecords } from './records.ts';
import type { FirstPlants } from './sandbox.generated.ts';

export interface SandboxLimits {
  /** How many there may be at once. */
  readonly most: number;
  readonly mostPerAddress: number;
  /** The longest that one lives, in milliseconds. */
  readonly ttl: number;
  /** How many plants one may have. */
  readonly plants: number;
}

/** Milliseconds; tests give shorter ones. */
export interface SandboxTimes {
  /** For how long what was read of a sandbox may be used: what another replica changes holds within a second. */
  readonly fresh: number;
  /** How often what nobody needs is looked for. */
  readonly sweep: number;
  /** For how long requests under way may still use a store that was left. */
  readonly grace: number;
}
export const SANDBOX_TIMES: SandboxTimes = { fresh: 400, sweep: 1_000, grace: 10_000 };

const PREFIX = 'pss_';
const MOST_SNAPSHOTS = 5;
/** A store is filled within this time, in milliseconds, or was given up. */
const FILLING = 600_000;
/** How many sandboxes are cached at least, where there are as many. */
const CACHED = 10_000;
/** What is cached is read again after this time, in milliseconds, whatever the clocks of replicas say. */
const LONGEST_CACHED = 60_000;
/** How many plants are removed at once, so that clients' writes get in between. */
const SWEEP_PIECE = 500;
const SWEEP_STORES = 20;
/** The count of plants is trusted for so long, in milliseconds: other replicas add to it. Longer where half is still free. */
const COUNT_FRESH = 10_000;
const COUNT_FRESH_BELOW_HALF = 60_000;
/** Later than any expiry: the last time that a Date holds. */
const NEVER = 8.64e15;
/** A second more than it takes to look again. */
const RETRY_S = 60;

/** A sandbox as a request meets it. */
export interface Sandbox extends SandboxRecord {
  /** How many plants it holds, as this process knows. */
  readonly counted: { plants: number; at: number };
}

interface CachedSandbox {
  readonly sandbox: Sandbox;
  /** By performance.now(): before it was read. */
  readonly readAt: number;
}

export type Sandboxes = ReturnType<typeof createSandboxes>;

export interface SandboxParts {
  readonly engine: Engine;
  readonly limits: SandboxLimits;
  readonly times: SandboxTimes;
  readonly now: () => number;
  readonly log: Logger;
}

/** No valid name of a store has a tilde: no operator's token can name that of a sandbox. */
const newStore = (id: string) => `~${id}.${randomName(8)}`;

/** Whether a token may be that of a sandbox, by its text alone: no token is ever tried as two kinds. */
export const looksLikeSandbox = (token: string) => token.startsWith(PREFIX);

export function createSandboxes({ engine, limits, times, now, log }: SandboxParts) {
  const records = sandboxRecords(engine.statements);
  const { plants } = engine;
  /** By the hash of their token, and only those that are there: strangers cannot fill the memory. */
  const newCache = () => new LruCache<CachedSandbox>(2 * Math.min(CACHED, limits.most));
  let cached = newCache();
  let checkedAt = Number.NEGATIVE_INFINITY;
  let checking: Promise<void> | undefined;
  /** How often this process changed a sandbox. */
  let written = 0;
  const counts = { created: 0, refused: 0, expired: 0 };
  const inTurn = createTurns();
  /** Additions wait for each other, so that each counts the one before. */
  let adding: Promise<unknown> = Promise.resolve();

  const met = (record: SandboxRecord, known: Sandbox | undefined): Sandbox => ({
    ...record,
    counted: known?.store === record.store ? known.counted : { plants: 0, at: 0 },
  });
  const read = async (hash: string): Promise<Sandbox | undefined> => {
    const [readAt, writtenBefore] = [performance.now(), written];
    const record = await records.find(hash);
    const sandbox = record && met(record, cached.get(hash)?.sandbox);
    if (sandbox === undefined) cached.delete(hash);
    // Else it may be older than what this process wrote meanwhile.
    else if (written === writtenBefore) cached.set(hash, { sandbox, readAt });
    return sandbox;
  };
  /** One look for all that is cached: to read each sandbox again would cost as much as a create. */
  const check = async () => {
    const began = performance.now();
    // What changed so long ago may have been removed by now, and not be found.
    if (began > checkedAt + times.grace / 2) cached = newCache();
    else {
      for (const record of await records.changed(now() - times.grace)) {
        const known = cached.get(record.hash);
        if (known === undefined || known.readAt >= began) continue;
        cached.set(record.hash, { sandbox: met(record, known.sandbox), readAt: began });
      }
    }
    checkedAt = began;
  };
  const forget = ({ hash }: Sandbox) => {
    written++;
    cached.delete(hash);
  };

  const fill = async (store: string, sandbox: Pick<SandboxRecord, 'id' | 'plants'>, from?: SnapshotRecord) => {
    await records.addStore(store, sandbox.id, now() + FILLING);
    if (from !== undefined) return copy(plants, from.store, store);
    if (sandbox.plants === 'garden') await plants.createMany(store, readGarden());
  };
  const refuse = () => {
    counts.refused++;
    return retryLater(42901, 'There are as many sandboxes as there may be', RETRY_S);
  };
  const isFull = async (address: string, more: number) =>
    (await records.countOf(address, now())) + more > limits.mostPerAddress ||
    (await records.count(now())) + more > limits.most;
  const add = async (record: SandboxRecord): Promise<boolean> => {
    if (await isFull(record.address, 1)) return false;
    await records.add(record);
    // Another replica may have added some at the same time: of those too many, each takes its own back.
    if (!(await isFull(record.address, 0))) return true;
    await records.end(record.id, now());
    return false;
  };

  const takeSnapshot = async ({ id, hash, store: storeBefore }: Sandbox): Promise<SnapshotRecord | Problem<40010>> => {
    const tooMany = new Problem(40010, `The sandbox has as many snapshots as it may have (${MOST_SNAPSHOTS}).`);
    const there = await records.snapshots(id);
    if (there.length >= MOST_SNAPSHOTS) return tooMany;
    const snapshot = { number: (there.at(-1)?.number ?? 0) + 1, store: newStore(id), createdAt: now() };
    await records.addStore(snapshot.store, id, now() + FILLING);
    // While this waited for its turn, the store of before may have been left and swept.
    await copy(plants, (await read(hash))?.store ?? storeBefore, snapshot.store);
    const isKept = await records.keepSnapshot(snapshot);
    if (isKept) await records.keep(snapshot.store, id);
    else await records.leave(snapshot.store, 0);
    return isKept ? snapshot : tooMany;
  };

  const sweep = async () => {
    counts.expired += await records.removeEnded(now() - times.grace);
    for (const store of await records.unused(now(), SWEEP_STORES)) {
      while ((await plants.clear(store, SWEEP_PIECE)) > 0);
      await records.removeStore(store);
    }
  };
  let isClosed = false;
  let isFailing = false;
  const timer = setTimeout(async () => {
    try {
      await sweep();
      isFailing = false;
    } catch (error) {
      if (!isFailing && !isClosed) log.warn({ err: error }, 'expired sandboxes could not be removed');
      isFailing = true;
    }
    if (!isClosed) timer.refresh();
  }, times.sweep).unref();

  return {
    limits,
    counts,
    records,
    live: () => records.count(now()),

    /** Makes a sandbox and its token. Throws a Problem (42901) where there are too many. */
    async create(address: string, first: FirstPlants, ttl: number): Promise<{ sandbox: SandboxRecord; token: string }> {
      const token = generateToken(PREFIX);
      const id = randomName(12);
      const createdAt = now();
      const record: SandboxRecord = {
        id,
        hash: hashToken(token),
        // Kept for the cap alone: who made a sandbox is nobody's business.
        address: createHmac('sha256', engine.cursorKey).update(address).digest('base64url'),
        plants: first,
        store: newStore(id),
        createdAt,
        expiresAt: createdAt + Math.min(ttl, limits.ttl),
        faults: '',
      };
      if (await isFull(record.address, 1)) throw refuse();
      await fill(record.store, record);
      const added = adding.then(() => add(record));
      adding = added.catch(() => undefined);
      const isAdded = await added;
      await records.keep(record.store, id);
      if (!isAdded) throw refuse();
      counts.created++;
      return { sandbox: record, token };
    },

    /** The sandbox of a given token, without expiry or cap, on a store that is there. */
    async createDemo(token: string, store: string): Promise<void> {
      const first = { address: '', plants: 'garden', store, createdAt: now(), expiresAt: NEVER, faults: '' } as const;
      await records.add({ id: 'demo', hash: hashToken(token), ...first });
      await records.addStore(store, 'demo', NEVER);
    },

    /** The sandbox whose token has this hash; undefined where there is none. It may have expired. */
    async find(hash: string): Promise<Sandbox | undefined> {
      if (performance.now() >= checkedAt + times.fresh) {
        checking ??= check().finally(() => {
          checking = undefined;
        });
        await checking;
      }
      const known = cached.get(hash);
      const isFresh = known !== undefined && performance.now() < known.readAt + LONGEST_CACHED;
      return isFresh && now() < known.sandbox.expiresAt + times.grace ? known.sandbox : read(hash);
    },

    /** Whether the sandbox may have another plant, as far as that is known without counting. */
    hasRoom({ expiresAt, counted }: Sandbox): boolean {
      if (expiresAt === NEVER) return true;
      const fresh = counted.plants < limits.plants / 2 ? COUNT_FRESH_BELOW_HALF : COUNT_FRESH;
      return counted.plants < limits.plants && counted.at !== 0 && performance.now() < counted.at + fresh;
    },

    /** Counts. Throws a Problem (40010) where the sandbox has as many plants as it may have, unless one has this id. */
    async requireRoom({ counted, store }: Sandbox, id: bigint): Promise<void> {
      counted.plants = await plants.count(store, limits.plants);
      counted.at = performance.now();
      if (counted.plants < limits.plants || (await plants.get(store, id)) !== undefined) return;
      throw new Problem(40010, `The sandbox has as many plants as it may have (${limits.plants}).`);
    },

    /** Ends it: its token is refused at once here, and within a second everywhere. */
    async end(sandbox: Sandbox): Promise<void> {
      await records.end(sandbox.id, now());
      forget(sandbox);
    },

    /** Back to what it began with, or to a snapshot, all at once. */
    async reset(sandbox: Sandbox, number: number | undefined): Promise<Problem<40402> | undefined> {
      const snapshots = number === undefined ? [] : await records.snapshots(sandbox.id);
      const from = snapshots.find((one) => one.number === number);
      if (number !== undefined && from === undefined) {
        return new Problem(40402, `The sandbox has no snapshot ${number}.`);
      }
      const store = newStore(sandbox.id);
      await fill(store, sandbox, from);
      const isTurned = await records.turn(sandbox.id, sandbox.store, store, now());
      forget(sandbox);
      // Where another reset came first, its plants stand, and these go.
      await records.leave(isTurned ? sandbox.store : store, now() + times.grace);
      if (isTurned) await records.keep(store, sandbox.id);
      return undefined;
    },

    /** Keeps the plants as they are at one moment. */
    snapshot: (sandbox: Sandbox) => inTurn(sandbox.id, () => takeSnapshot(sandbox)),

    async setFaults(sandbox: Sandbox, faults: string): Promise<void> {
      await records.setFaults(sandbox.id, faults, now());
      forget(sandbox);
    },

    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

export const isDemo = ({ expiresAt }: SandboxRecord) => expiresAt === NEVER;

async function copy(plants: PlantStore, from: string, to: string): Promise<void> {
  for await (const piece of plants.snapshot(from)) await plants.createMany(to, piece);
}

/** Work of the same name waits for that before it. */
function createTurns() {
  const last = new Map<string, Promise<unknown>>();
  return async <Result>(name: string, work: () => Promise<Result>): Promise<Result> => {
    const before = last.get(name) ?? Promise.resolve();
    const turn = before.then(work, work);
    last.set(name, turn);
    try {
      return await turn;
    } finally {
      if (last.get(name) === turn) last.delete(name);
    }
  };
}

const LETTERS = '23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** At random, of characters that are not mistaken for each other. */
function randomName(length: number): string {
  return Array.from({ length }, () => LETTERS[randomInt(LETTERS.length)]).join('');
}
