/** Owns group commit: creates that arrive while batches are under way make the next one, and share its statement. */
import { StoreFailure } from '../../errors.ts';
import type { Created } from '../../plants/plant-store.ts';
import type { EngineOptions } from '../engine.ts';
import type { Runner } from './runner.ts';
import { createAll, type PlantRow } from './writes.ts';

/** A batch's bound keeps the wait of those behind it short. */
const MAX_BATCH = 1_000;
/** Once a batch takes longer than this, the next one starts beside it, however small it is. */
const PATIENCE_MS = 20;

interface Waiting {
  readonly row: PlantRow;
  readonly deadline: number;
  settled: boolean;
  resolve(outcome: Created): void;
  reject(error: unknown): void;
}

export interface CommitQueue {
  /** Resolves when the plant is durable. Rejects with `overloaded` at once when the queue is full, else within the bound. */
  create(row: PlantRow): Promise<Created>;
  /** How many creates wait or are under way. */
  length(): number;
  /** Waits for what is queued. */
  close(): Promise<void>;
}

interface QueueOptions {
  /** How many creates may wait. */
  readonly limit: number;
  /** How many batches may be under way at once. */
  readonly lanes: number;
  /** The longest that a caller waits, in milliseconds. */
  readonly bound: number;
  readonly onCommit: EngineOptions['onCommit'];
}

export function createCommitQueue(runner: Runner, { limit, lanes, bound, onCommit }: QueueOptions): CommitQueue {
  let waiting: Waiting[] = [];
  const underWay = new Set<readonly Waiting[]>();
  let running = 0;
  let slow = 0;
  let scheduled = false;
  let alarm: NodeJS.Timeout | undefined;
  let idle: (() => void) | undefined;

  /** Lanes that wait for a connection do not count: they have taken no batch, and their callers are refused in time. */
  const isIdle = () => underWay.size === 0 && waiting.length === 0;
  const take = (): readonly Waiting[] => {
    const batch = waiting.splice(0, MAX_BATCH);
    underWay.add(batch);
    return batch;
  };
  const lane = async () => {
    running++;
    let batch: readonly Waiting[] | undefined;
    let began = 0;
    let isSlow = false;
    const patience = setTimeout(() => {
      isSlow = true;
      slow++;
      send();
    }, PATIENCE_MS);
    const end = () => {
      clearTimeout(patience);
      running--;
      if (isSlow) slow--;
      if (batch !== undefined) underWay.delete(batch);
    };
    try {
      // The batch is taken when there is a connection, and grows until then. After a conflict the same batch runs again.
      const outcomes = await runner.write((query) => {
        if (batch === undefined) {
          batch = take();
          began = performance.now();
        }
        return batch.length === 0
          ? Promise.resolve([])
          : createAll(
              query,
              batch.map(({ row }) => row),
            );
      });
      end();
      // Sent first: the next batch is under way while the answers of this one are written.
      send();
      if (batch !== undefined && batch.length > 0) onCommit?.(batch.length, (performance.now() - began) / 1_000);
      batch?.forEach((item, i) => {
        item.settled = true;
        item.resolve(outcomes[i] as Created);
      });
    } catch (error) {
      // There was no connection: those whose turn it would have been are refused.
      batch ??= take();
      end();
      for (const item of batch) refuse(item, error);
      send();
    }
    if (isIdle()) idle?.();
  };
  /** A second batch is worth its statement when it is as large as what is under way, or when that takes long. */
  const mayStart = () => {
    if (running >= lanes) return false;
    if (running === slow) return true;
    let rows = 0;
    for (const batch of underWay) rows += batch.length;
    return rows > 0 && waiting.length >= rows;
  };
  const send = () => {
    scheduled = false;
    if (waiting.length > 0 && mayStart()) void lane();
  };
  const refuse = (item: Waiting, error: unknown) => {
    item.settled = true;
    item.reject(error);
  };
  /** One timer for all callers, set to the earliest deadline: by then nearly all of them have been answered. */
  const expire = () => {
    const now = performance.now();
    let oldest = Number.POSITIVE_INFINITY;
    for (const item of [...underWay, waiting].flat()) {
      if (item.settled) continue;
      if (item.deadline <= now) refuse(item, new StoreFailure('unreachable'));
      else oldest = Math.min(oldest, item.deadline);
    }
    waiting = waiting.filter((item) => !item.settled);
    alarm = oldest === Number.POSITIVE_INFINITY ? undefined : setTimeout(expire, oldest - now);
    if (isIdle()) idle?.();
  };

  return {
    create(row) {
      if (waiting.length >= limit) return Promise.reject(new StoreFailure('overloaded'));
      const { promise, resolve, reject } = Promise.withResolvers<Created>();
      waiting.push({ row, deadline: performance.now() + bound, settled: false, resolve, reject });
      alarm ??= setTimeout(expire, bound);
      // After the sockets of this turn were read: all of their creates go together.
      if (!scheduled && mayStart()) {
        scheduled = true;
        setImmediate(send);
      }
      return promise;
    },
    length() {
      let rows = waiting.length;
      for (const batch of underWay) rows += batch.length;
      return rows;
    },
    async close() {
      if (!isIdle()) await new Promise<void>((resolve) => (idle = resolve));
      clearTimeout(alarm);
    },
  };
}
