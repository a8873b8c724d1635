/** A database that ends with its process: a file in a folder of its own below the system's temporary one. */
import { existsSync, lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartupError } from '../../errors.ts';
import type { Engine, EngineOptions } from '../engine.ts';
import { kindOf } from './failures.ts';
import { openSqlite } from './index.ts';

const PREFIX = 'plantstore-temporary-';
/** An empty database beside the data, locked as long as its process lives. */
const LOCK = 'lock.db';

/** Those of this process, which it also removes where it ends without closing them. */
const folders = new Set<string>();
let isWatching = false;

function watch(): void {
  if (!isWatching) process.once('exit', () => [...folders].forEach(remove));
  isWatching = true;
}

/** Throws a StartupError when the system's temporary folder cannot be used. */
export async function openTemporary(options: EngineOptions): Promise<Engine> {
  const folder = openTemporaryFolder();
  const engine = await openSqlite(join(folder.path, 'plants.db'), options);
  return {
    ...engine,
    location: `${engine.location}, removed at the end`,
    async close() {
      await engine.close();
      folder[Symbol.dispose]();
    },
  };
}

/** A folder that is gone when it is disposed of, or its process ends; of a process that was killed, at a later call. */
export function openTemporaryFolder(): Disposable & { readonly path: string } {
  const { folder, lock } = makeFolder();
  watch();
  folders.add(folder);
  return {
    path: folder,
    [Symbol.dispose]() {
      lock.close();
      remove(folder);
    },
  };
}

function makeFolder(): { readonly folder: string; readonly lock: DatabaseSync } {
  try {
    removeLeftovers();
    for (;;) {
      const folder = mkdtempSync(join(tmpdir(), PREFIX));
      const lock = takeLock(folder);
      // Otherwise another process saw the folder before its lock, and has removed it or is about to.
      if (lock !== undefined && existsSync(join(folder, LOCK))) return { folder, lock };
      lock?.close();
    }
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? error.code : error;
    throw new StartupError(`cannot make a temporary database in ${tmpdir()}: ${why}`, { cause: error });
  }
}

/** Undefined where a process holds the lock, which ends with the process, or where the folder is gone. */
function takeLock(folder: string): DatabaseSync | undefined {
  try {
    const lock = new DatabaseSync(join(folder, LOCK));
    try {
      lock.exec('BEGIN EXCLUSIVE');
      return lock;
    } catch (error) {
      lock.close();
      throw error;
    }
  } catch (error) {
    if (kindOf(error) === 'locked' || !existsSync(folder)) return undefined;
    throw error;
  }
}

/** What processes left that were killed. */
function removeLeftovers(): void {
  for (const name of readdirSync(tmpdir())) {
    if (!name.startsWith(PREFIX)) continue;
    const folder = join(tmpdir(), name);
    // Everybody may write to the temporary folder: SQLite must not open what another user put there.
    const stats = lstatSync(folder, { throwIfNoEntry: false });
    if (!stats?.isDirectory() || stats.uid !== (process.getuid?.() ?? stats.uid)) continue;
    using lock = takeLock(folder);
    if (lock !== undefined) remove(folder);
  }
}

/** What cannot be removed is left to a later start. */
function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
    folders.delete(folder);
  } catch {
    // In use, on Windows.
  }
}
