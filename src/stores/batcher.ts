/** Group commit: writes that arrive while a batch is being committed form the next batch and share its commit. */
import { StoreFailure } from '../errors.ts';

/** The longest that a batch grows, in milliseconds. It stops earlier when a turn of the event loop adds no write. */
const MAX_GATHER_MS = 2;

export interface Batcher<Write, Result> {
  /** Resolves when the write is durable. Rejects immediately with `overloaded` when too many writes wait. */
  add(write: Write): Promise<Result>;
  /** The number of writes that wait or are being committed. */
  length(): number;
  /** Resolves when no write waits or is being committed. */
  idle(): Promise<void>;
}

interface BatcherOptions<Write, Result> {
  /**
   * Makes the whole batch durable. Resolves to the results in the batch's order. Rejects by `deadline` (a
   * performance.now() time), the deadline of the batch's oldest write.
   */
  commit(batch: readonly Write[], deadline: number): Promise<readonly Result[]>;
  /** Writes with different keys never share a batch. Without this function, any writes can. */
  readonly keyOf?: (write: Write) => string;
  /** Whether the batches of a key are committed one after another. They then take one lane. Default: false. */
  readonly inOrder?: boolean;
  readonly maxBatch: number;
  readonly maxWaiting: number;
  /** The number of batches that are committed at the same time: 1 for an engine with one writer. */
  readonly lanes: number;
  /** The longest that a write may take, in milliseconds. */
  readonly timeout: number;
  readonly onCommit?: ((writes: number, seconds: number) => void) | undefined;
}

interface Waiting<Write, Result> {
  readonly write: Write;
  readonly deadline: number;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

export function createBatcher<Write, Result>(options: BatcherOptions<Write, Result>): Batcher<Write, Result> {
  const { commit, keyOf = () => '', inOrder = false, maxBatch, maxWaiting, lanes, timeout, onCommit } = options;
  /**
   * Sorted by age. A batch starts with the oldest write that may be committed now, and ends by the deadline of that
   * write. With `inOrder`, a write also waits until the earlier batch of its key has ended.
   */
  let waiting: Waiting<Write, Result>[] = [];
  let lanesInUse = 0;
  /** The keys whose next batch must wait for the batch before it. */
  const busy = new Set<string>();
  let underWay = 0;
  let gathering = false;
  const idle: (() => void)[] = [];

  /** Starts a batch when a turn of the event loop adds no write. Clients often send their next requests together. */
  const gather = () => {
    if (gathering || lanesInUse === lanes || nextKey() === undefined) return;
    gathering = true;
    const until = performance.now() + MAX_GATHER_MS;
    let seen = 0;
    const turn = () => {
      const isGrowing = waiting.length > seen && waiting.length < maxBatch && performance.now() < until;
      seen = waiting.length;
      if (isGrowing) {
        setImmediate(turn);
        return;
      }
      gathering = false;
      const key = nextKey();
      if (key !== undefined) void run(key, take(key));
      gather();
    };
    setImmediate(turn);
  };
  /** The key of the oldest write that can be committed now. */
  const nextKey = () => {
    const next = inOrder ? waiting.find(({ write }) => !busy.has(keyOf(write))) : waiting[0];
    return next && keyOf(next.write);
  };
  const take = (key: string): readonly Waiting<Write, Result>[] => {
    if (options.keyOf === undefined) return waiting.splice(0, maxBatch);
    const batch = waiting.filter(({ write }) => keyOf(write) === key).slice(0, maxBatch);
    const taken = new Set(batch);
    waiting = waiting.filter((item) => !taken.has(item));
    return batch;
  };
  const run = async (key: string, batch: readonly Waiting<Write, Result>[]) => {
    if (inOrder) busy.add(key);
    lanesInUse++;
    underWay += batch.length;
    const began = performance.now();
    try {
      const deadline = batch[0]?.deadline ?? began;
      const writes = batch.map((item) => item.write);
      const results = await commit(writes, deadline);
      onCommit?.(batch.length, (performance.now() - began) / 1_000);
      for (const [i, item] of batch.entries()) item.resolve(results[i] as Result);
    } catch (error) {
      for (const item of batch) item.reject(error);
    }
    busy.delete(key);
    lanesInUse--;
    underWay -= batch.length;
    gather();
    if (lanesInUse === 0 && waiting.length === 0) for (const resolve of idle.splice(0)) resolve();
  };

  return {
    add(write) {
      if (waiting.length >= maxWaiting) return Promise.reject(new StoreFailure('overloaded'));
      const { promise, resolve, reject } = Promise.withResolvers<Result>();
      waiting.push({ write, deadline: performance.now() + timeout, resolve, reject });
      gather();
      return promise;
    },
    length: () => waiting.length + underWay,
    async idle() {
      if (lanesInUse > 0 || waiting.length > 0) await new Promise<void>((resolve) => idle.push(resolve));
    },
  };
}
