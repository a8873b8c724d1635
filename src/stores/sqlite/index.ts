/** The embedded engine: one SQLite file. */
import { closeSync, openSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { Engine, EngineOptions, TokenEngine } from '../engine.ts';
import { createCommitQueue } from './commit-queue.ts';
import { cannotUse, openConnection, prepareFile } from './database.ts';
import { cursorKey } from './migrations.ts';
import { sqlitePlants } from './plants.ts';
import { sqliteTokens } from './tokens.ts';

/** Opens the file at `path`, creating it when there is none. Throws a StartupError when it cannot be used. */
export async function openSqlite(path: string, options: EngineOptions): Promise<Engine> {
  prepareFile(path);
  const tokens = openConnection(path);
  // Read before the writer's thread is started: where the key is missing, that thread would keep the process alive.
  const key = keyOf(tokens, path);
  const reader = openConnection(path);
  const descriptor = openSync(path, 'r+');
  const queue = createCommitQueue({ path, descriptor }, options);
  return {
    location: path,
    plants: sqlitePlants(reader, queue, options.random),
    tokens: sqliteTokens(tokens),
    queueLength: queue.length,
    cursorKey: key,
    async close() {
      await queue.close();
      // After a failure nothing is closed: the last connection to close would merge and sync the log, which the next
      // start needs as it is.
      if (queue.failed()) return;
      reader.close();
      tokens.close();
      closeSync(descriptor);
    },
  };
}

function keyOf(database: DatabaseSync, path: string): Uint8Array {
  try {
    return cursorKey(database);
  } catch (error) {
    database.close();
    throw cannotUse(path, error);
  }
}

/** Opens only the tokens of a file: no writer's thread, nothing of the plants. */
export function openSqliteTokens(path: string): TokenEngine {
  prepareFile(path);
  const database = openConnection(path);
  return { location: path, tokens: sqliteTokens(database), close: async () => database.close() };
}
