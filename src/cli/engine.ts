/** Owns choosing the engine that a `--database` value asks for. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { StartupError } from '../errors.ts';
import type { Data } from '../stores/data.ts';
import type { Engine, TokenEngine } from '../stores/engine.ts';
import type { PostgresOptions } from '../stores/postgres/index.ts';
import { openSqliteData } from '../stores/sqlite/data.ts';
import { openSqlite, openSqliteTokens } from '../stores/sqlite/index.ts';

/** How long a command about tokens waits for the server. */
const TOKENS_BOUND_MS = 5_000;

/** Opens the data for serving. */
export function openEngine(database: string, options: PostgresOptions): Promise<Engine> {
  return isSqlite(database) ? openSqlite(sqlitePath(database), options) : openPostgres(database, options);
}

/** Loaded only where it is asked for: the embedded engine starts without it. */
async function openPostgres(database: string, options: PostgresOptions): Promise<Engine> {
  const engine = await import('../stores/postgres/index.ts');
  return engine.openPostgres(database, options);
}

/** Opens the tokens alone, beside whatever serves the data. Without `create` data that is not there is an error. */
export async function openTokens(database: string, create: boolean): Promise<TokenEngine> {
  if (!isSqlite(database)) {
    const rarely = { queueLimit: 1, connections: 1, bound: TOKENS_BOUND_MS };
    return openPostgres(database, { ...rarely, create, random: Math.random, onFatal: () => undefined });
  }
  const path = sqlitePath(database);
  if (!create && !existsSync(path)) throw new StartupError(`there is no database file ${path}`);
  return openSqliteTokens(path);
}

/** Opens the data for a command that moves or examines it. `create`: makes an empty one where there is none. */
export async function openData(database: string, create: boolean): Promise<Data> {
  if (isSqlite(database)) return openSqliteData(sqlitePath(database), create);
  const { openPostgresData } = await import('../stores/postgres/data.ts');
  return openPostgresData(database, create, Math.random);
}

function isSqlite(database: string): boolean {
  return database.startsWith('sqlite:');
}

function sqlitePath(database: string): string {
  const path = database.slice('sqlite:'.length);
  try {
    return resolve(path);
  } catch {
    throw new StartupError(`${path} leads nowhere: the folder that this was started in was deleted`);
  }
}
