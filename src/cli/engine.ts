/** Owns choosing the engine that a `--database` value asks for. */
import { resolve } from 'node:path';
import type { Engine, EngineOptions } from '../stores/engine.ts';
import { openSqlite } from '../stores/sqlite/index.ts';
import { UsageError } from './config.ts';

/** Opens the data for serving. */
export function openEngine(database: string, options: EngineOptions): Promise<Engine> {
  if (!database.startsWith('sqlite:')) throw new UsageError('--database: only sqlite:PATH is supported so far');
  return openSqlite(sqlitePath(database), options);
}

function sqlitePath(database: string): string {
  return resolve(database.slice('sqlite:'.length));
}
