/** Owns choosing the engine that a `--database` value asks for. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { StartupError } from '../errors.ts';
import type { Engine, EngineOptions, TokenEngine } from '../stores/engine.ts';
import { openSqlite, openSqliteTokens } from '../stores/sqlite/index.ts';
import { UsageError } from './config.ts';

/** Opens the data for serving. */
export function openEngine(database: string, options: EngineOptions): Promise<Engine> {
  if (!isSqlite(database)) throw new UsageError('--database: only sqlite:PATH is supported so far');
  return openSqlite(sqlitePath(database), options);
}

/** Opens the tokens alone, beside whatever serves the data. Without `create` a file that is not there is an error. */
export async function openTokens(database: string, create: boolean): Promise<TokenEngine> {
  if (!isSqlite(database)) {
    return openEngine(database, { queueLimit: 1, random: Math.random, onFatal: () => undefined });
  }
  const path = sqlitePath(database);
  if (!create && !existsSync(path)) throw new StartupError(`there is no database file ${path}`);
  return openSqliteTokens(path);
}

function isSqlite(database: string): boolean {
  return database.startsWith('sqlite:');
}

function sqlitePath(database: string): string {
  return resolve(database.slice('sqlite:'.length));
}
