/** The embedded engine: one SQLite file. */
import { closeSync, openSync } from 'node:fs';
import type { Engine, EngineOptions, TokenEngine } from '../engine.ts';
import { createCommitQueue } from './commit-queue.ts';
import { openConnection, prepareFile, usable } from './database.ts';
import { cursorKey } from './migrations.ts';
import { sqlitePlants } from './plants.ts';
import { sqliteTokens } from './tokens.ts';

/** Opens the file at `path`, creating it when there is none. Throws a StartupError when it cannot be used. */
export async function openSqlite(path: string, options: EngineOptions): Promise<Engine> {
  prepareFile(path);
  const { tokens, key, reader, descriptor } = openAll(path);
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

/** All that may fail, before the writer's thread is started, which would keep the process alive. */
function openAll(path: string) {
  return usable(path, () => {
    using opened = new DisposableStack();
    const tokens = opened.use(openConnection(path));
    const key = cursorKey(tokens);
    const reader = opened.use(openConnection(path));
    const descriptor = openSync(path, 'r+');
    opened.move();
    return { tokens, key, reader, descriptor };
  });
}

/** Opens only the tokens of a file: no writer's thread, nothing of the plants. */
export function openSqliteTokens(path: string): TokenEngine {
  prepareFile(path);
  const database = usable(path, () => openConnection(path));
  return { location: path, tokens: sqliteTokens(database), close: async () => database.close() };
}
