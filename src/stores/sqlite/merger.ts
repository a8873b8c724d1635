/** Owns when the write-ahead log is merged into the file: in pieces between two batches, so that no write waits for long. */
import { fdatasync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { DatabaseFile } from './database.ts';
import { isFatal, resultCode } from './failures.ts';
import { openLogCopier } from './log-copier.ts';
import { LONGEST_LOG, WORTH_MERGING, writeAheadLog } from './write-ahead-log.ts';

/** Pages that are copied at once, or a few more: some 0.2 ms. For pieces of 500 gets were seen to wait. */
export const PIECE = 125;
/** This few pages are left to SQLite, which syncs them with the file: the log begins anew only once it is merged whole. */
const REMAINDER = 128;

interface Merger {
  /** To be called before a batch is written. */
  beforeBatch(): void;
  /** To be called when a batch is committed, or has failed, and its answers are on their way. */
  afterBatch(): void;
  /** No merge is begun from now on: after a failed sync, it would try to sync the same pages again. */
  stop(): void;
  /** Waits for a sync under way, whose failure is told as well. */
  close(): Promise<void>;
}

/**
 * Merges the log that `database`, the writer's connection, writes. Most of it is copied without a sync; then the file is
 * synced beside the batches, again for what was copied meanwhile, until little is left.
 *
 * @param onFatal is told when the file can no longer be trusted. A disk without room is told to the writes themselves.
 */
export function createMerger(database: DatabaseSync, file: DatabaseFile, onFatal: (cause: unknown) => void): Merger {
  const log = writeAheadLog(database);
  // At once: later, another file may have been put under the name, and to open that would merge this one's log into it.
  const copier = openLogCopier(file.path);
  let stopped = false;
  /** How many pages make a piece. More where a reader holds on to an older state, so that a piece got nowhere. */
  let enough = PIECE;
  /** How many pages of the log the file had at the last sync or restart: while it has no more, there is nothing to do. */
  let done = 0;
  let syncing: Promise<void> | undefined;
  /** How many pages came to the log during a sync: from the first one on until the log begins anew. */
  let late: number | undefined;

  /** Runs a step of a merge. After one that failed, as on a disk without room, the next piece is twice as long. */
  const attempt = (step: () => void) => {
    if (stopped) return;
    try {
      step();
    } catch (error) {
      const code = resultCode(error);
      if (code === undefined || isFatal(code)) fail(error);
      else postpone();
    }
  };
  const fail = (cause: unknown) => {
    stopped = true;
    onFatal(cause);
  };
  const postpone = () => {
    enough = Math.min(2 * enough, LONGEST_LOG);
    late = undefined;
  };
  const copy = () => {
    const copied = copier.copy();
    if (copied === 0) postpone();
    else if (copied !== undefined) enough = PIECE;
  };
  /** Under Node's permission model no descriptor may be synced: all of it is left to SQLite. */
  const sync = () => {
    const { pages, merged } = log.state();
    if (merged === done || pages < WORTH_MERGING) return;
    if (process.permission !== undefined) {
      restart();
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    syncing = promise;
    fdatasync(file.descriptor, (error) => {
      syncing = undefined;
      if (error === null) attempt(() => synced(merged));
      else fail(error);
      resolve();
    });
  };
  /** Each sync is shorter than the one before, as long as there is less to sync. */
  const synced = (merged: number) => {
    const rest = log.state().pages - merged;
    const before = late ?? Number.POSITIVE_INFINITY;
    done = merged;
    late = rest;
    if (rest <= REMAINDER || rest > before / 2) restart();
  };
  const restart = () => {
    log.restart();
    done = log.state().merged;
    late = undefined;
  };

  return {
    beforeBatch() {
      if (syncing !== undefined) return;
      attempt(() => {
        const { pages, merged } = log.state();
        const unmerged = pages - merged;
        // SQLite itself or another process has merged what could not be: nothing hinders any more.
        if (unmerged < PIECE) enough = PIECE;
        // Begun anew by another process, the log is not worth a sync yet.
        if (pages < WORTH_MERGING) late = undefined;
        if (unmerged >= (late === undefined ? enough : 1)) copier.mark();
      });
    },
    afterBatch() {
      if (syncing !== undefined) return;
      attempt(() => {
        try {
          copy();
        } finally {
          copier.release();
        }
        sync();
      });
    },
    stop() {
      stopped = true;
    },
    async close() {
      stopped = true;
      await syncing;
      copier.close();
    },
  };
}
