/** Owns group commit: writes that arrive while a batch is on its way to the disk make the next one, and share its sync. */
import { setTimeout as sleep } from 'node:timers/promises';
import { startThread } from '../../assets.ts';
import { StoreFailure } from '../../errors.ts';
import type { EngineOptions } from '../engine.ts';
import type { DatabaseFile } from './database.ts';
import { isFatal, translate } from './failures.ts';
import type { WriterRequest, WriterResponse } from './writer-thread.ts';
import type { Outcome, Write } from './writes.ts';

/** A batch's bound keeps the wait of those behind it short. */
const MAX_BATCH = 1_000;
/** How many writes are answered in one turn of the event loop: a read that comes in between need not wait for all. */
const ANSWERS_A_TURN = 16;
/** How long a batch may gather, in milliseconds, while every turn of the event loop brings more. */
const MAX_GATHER_MS = 2;

interface Waiting {
  readonly write: Write;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

export interface CommitQueue {
  /** Resolves when the write is on stable storage. Rejects with `overloaded` at once when the queue is full. */
  commit(write: Write): Promise<Outcome>;
  /** How many writes wait or are under way. */
  length(): number;
  /** Whether `onFatal` was told. */
  failed(): boolean;
  /** Waits for what is queued, then closes the file; after a fatal fault only ends the thread. */
  close(): Promise<void>;
}

/**
 * Starts the writer's thread, for which only the first batch waits. Once `onFatal` was told that the file can no longer
 * be trusted every write is refused.
 */
export function createCommitQueue(
  file: DatabaseFile,
  { queueLimit: limit, onFatal, onCommit }: Pick<EngineOptions, 'queueLimit' | 'onFatal' | 'onCommit'>,
): CommitQueue {
  const worker = startThread('stores/sqlite/writer-thread.ts', { workerData: file });
  let waiting: Waiting[] = [];
  let inFlight: Waiting[] = [];
  let gathering = false;
  let failure: StoreFailure | undefined;
  let closing = false;

  const length = () => waiting.length + inFlight.length;
  const tell = (request: WriterRequest) => worker.postMessage(request);
  /** Sends once a turn of the event loop brings no further write: callers just answered mostly send their next at once. */
  const gather = () => {
    if (gathering || inFlight.length > 0 || waiting.length === 0) return;
    gathering = true;
    const until = performance.now() + MAX_GATHER_MS;
    let seen = 0;
    const turn = () => {
      const more = waiting.length > seen && waiting.length < MAX_BATCH && performance.now() < until;
      seen = waiting.length;
      if (more) setImmediate(turn);
      else send();
    };
    setImmediate(turn);
  };
  const send = () => {
    gathering = false;
    if (waiting.length === 0) return;
    inFlight = waiting.splice(0, MAX_BATCH);
    tell(inFlight.map((item) => item.write));
  };
  const answer = (outcomes: readonly Outcome[], from = 0) => {
    const to = Math.min(from + ANSWERS_A_TURN, inFlight.length);
    for (let i = from; i < to; i++) inFlight[i]?.resolve(outcomes[i] as Outcome);
    if (to < inFlight.length) {
      setImmediate(answer, outcomes, to);
      return;
    }
    inFlight = [];
    gather();
  };
  const fail = (cause: unknown) => {
    if (failure !== undefined) return;
    failure = new StoreFailure('unreachable', cause);
    for (const item of [...inFlight, ...waiting]) item.reject(failure);
    inFlight = [];
    waiting = [];
    onFatal(cause);
  };
  worker.on('message', (result: WriterResponse) => {
    if (failure !== undefined) return;
    if ('fatal' in result) {
      fail(result.fatal);
      return;
    }
    if ('outcomes' in result) {
      onCommit?.(inFlight.length, result.seconds);
      answer(result.outcomes);
      return;
    }
    const batch = inFlight;
    inFlight = [];
    const error = translate(result.error, result.code);
    for (const item of batch) item.reject(error);
    if (isFatal(result.code)) fail(result.error);
    else gather();
  });
  worker.on('error', fail);
  // Without these two a batch would wait without end for an answer that cannot come.
  worker.on('messageerror', fail);
  worker.on('exit', (code) => {
    if (!closing) fail(new Error(`the writer's thread ended with ${code}`));
  });

  return {
    commit(write) {
      if (failure !== undefined) return Promise.reject(failure);
      if (waiting.length >= limit) return Promise.reject(new StoreFailure('overloaded'));
      const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
      waiting.push({ write, resolve, reject });
      gather();
      return promise;
    },
    length,
    failed: () => failure !== undefined,
    async close() {
      while (length() > 0) await sleep(1);
      closing = true;
      if (failure !== undefined) {
        await worker.terminate();
        return;
      }
      const exit = new Promise((resolve) => worker.once('exit', resolve));
      tell('close');
      await exit;
    },
  };
}
