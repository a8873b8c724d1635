/** Owns the slowed disk: an environment in which a process waits longer for whatever it puts on the disk. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What a sync takes longer: some cloud disks need 3 ms where a local one needs 0.1. */
const SLOW_SYNC_US = 3_000;
const SOURCE = fileURLToPath(new URL('./slow-sync/slow-sync.c', import.meta.url));

let library: string | undefined;

/**
 * What to add to the environment of a process, so that every fsync and fdatasync takes 3 ms longer, on whichever thread:
 * its disk is slowed, not its processor. Writes to files opened with O_SYNC or O_DSYNC, and syncs through io_uring, stay
 * as they are: SQLite, in Node, better-sqlite3 and Bun alike, and PostgreSQL by default, use neither. Undefined where
 * this cannot be had: it takes Linux and a C compiler.
 */
export function slowSyncEnv(): Record<string, string> | undefined {
  library ??= build();
  if (library === undefined) return undefined;
  return { LD_PRELOAD: library, SLOW_SYNC_US: String(SLOW_SYNC_US) };
}

function build(): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const directory = mkdtempSync(join(tmpdir(), 'plantstore-slow-sync-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, 'slow-sync.so');
  const { error, status, stderr } = spawnSync('cc', ['-shared', '-fPIC', '-O2', '-Wall', '-o', file, SOURCE]);
  if (error !== undefined) return undefined;
  if (status !== 0) throw new Error(`cc failed: ${stderr}`);
  return file;
}
