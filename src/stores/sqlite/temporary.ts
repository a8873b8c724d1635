/** A database that ends with its process: a file in its own folder below the system's temporary folder. */
import { existsSync, lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartupError } from '../../errors.ts';
import type { Engine, EngineOptions } from '../engine.ts';
import { reasonOf, refuseLongPath } from './database.ts';
import { kindOf } from './failures.ts';
import { openSqlite } from './index.ts';

const PREFIX = 'plantstore-temporary-';
/** An empty database beside the data. It is locked as long as its process lives. */
const LOCK = 'lock.db';
const DATA = 'plants.db';

/** The open folders of this process, which it removes when it exits. */
const folders = new Set<string>();
process.once('exit', () => [...folders].forEach(remove));

/** Throws a StartupError if the system's temporary folder cannot be used. If the engine fails, nothing remains. */
export async function openTemporary(options: EngineOptions): Promise<Engine> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(openTemporaryFolder());
  const engine = await openSqlite(join(folder.path, DATA), options);
  opened.defer(() => engine.close());
  const temporary = { ...engine, location: `${engine.location}, removed at the end` };
  const parts = opened.move();
  return { ...temporary, close: () => parts.disposeAsync() };
}

/** Opens a folder that is removed when it is disposed of or the process exits, or by a later call after a kill. */
export function openTemporaryFolder(): Disposable & { readonly path: string } {
  const { folder, lock } = makeFolder();
  folders.add(folder);
  return {
    path: folder,
    [Symbol.dispose]() {
      lock.close();
      remove(folder);
    },
  };
}

function makeFolder(): { readonly folder: string; readonly lock: Lock } {
  try {
    removeLeftovers();
    for (;;) {
      // Other processes get the path, and TMPDIR may be relative.
      const folder = mkdtempSync(resolve(tmpdir(), PREFIX));
      const lock = lockOf(folder);
      // Otherwise another process found the folder before it was locked, and removes it.
      if (lock !== undefined && existsSync(join(folder, LOCK))) return { folder, lock };
      lock?.close();
    }
  } catch (error) {
    const isFull = kindOf(error) === 'full';
    const why = isFull ? 'the disk is full; free space, or choose another disk' : reasonOf(error);
    throw new StartupError(`cannot make a temporary database in ${tmpdir()} (TMPDIR): ${why}`, { cause: error });
  }
}

/** Locks a new folder, which is removed if that fails. */
function lockOf(folder: string): Lock | undefined {
  try {
    refuseLongPath(join(folder, DATA));
    return takeLock(join(folder, LOCK));
  } catch (error) {
    remove(folder);
    throw error;
  }
}

interface Lock extends Disposable {
  close(): void;
}

/**
 * Locks an empty database, which is created if there is none. The lock ends with this process at the latest. Returns
 * undefined if another living process holds the lock, or if the folder is gone.
 */
export function takeLock(path: string): Lock | undefined {
  try {
    const lock = new DatabaseSync(path);
    try {
      lock.exec('BEGIN EXCLUSIVE');
      return lock;
    } catch (error) {
      lock.close();
      throw error;
    }
  } catch (error) {
    if (kindOf(error) === 'locked' || !existsSync(dirname(path))) return undefined;
    throw error;
  }
}

/** Removes the folders of processes that were killed. */
function removeLeftovers(): void {
  for (const name of readdirSync(tmpdir())) {
    if (!name.startsWith(PREFIX)) continue;
    const folder = join(tmpdir(), name);
    // Every user may write to the temporary folder. SQLite must not open another user's files.
    const stats = lstatSync(folder, { throwIfNoEntry: false });
    if (!stats?.isDirectory() || stats.uid !== (process.getuid?.() ?? stats.uid)) continue;
    try {
      using lock = takeLock(join(folder, LOCK));
      if (lock !== undefined) remove(folder);
    } catch {
      // One folder without permissions or with a damaged lock must not prevent each later start.
    }
  }
}

/** A folder that cannot be removed is left to a later start. */
function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
    folders.delete(folder);
  } catch {
    // On Windows the folder may be in use.
  }
}
