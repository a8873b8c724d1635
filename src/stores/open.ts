/** Opens the engine that a `--database` value names. */
import { resolve } from 'node:path';
import type { Access, Engine } from './engine.ts';
import type { PostgresOptions } from './postgres/client.ts';
import { openSqlite } from './sqlite/index.ts';

const SQLITE = 'sqlite:';
/** Names a SQLite file that is removed when the process ends. */
const TEMPORARY = 'temporary';
/** The longest that a command about tokens waits for PostgreSQL, in milliseconds. */
const TOKENS_TIMEOUT_MS = 5_000;
/** The longest that one statement of an import or export may take, in milliseconds. No client waits for it. */
const TIMEOUT_MS = 30_000;

export async function openEngine(database: string, options: PostgresOptions): Promise<Engine> {
  if (database.startsWith(SQLITE)) return openSqlite(resolve(database.slice(SQLITE.length)), options);
  // Loaded only if needed: a service on a SQLite file starts faster without these modules.
  if (database === TEMPORARY) {
    const { openTemporary } = await import('./sqlite/temporary.ts');
    return openTemporary(options);
  }
  const { openPostgres } = await import('./postgres/index.ts');
  return openPostgres(database, options);
}

/**
 * Opens the data for a command. A service may be using it. `create`: whether to create a database where there is none.
 */
export function openForCommand(database: string, access: Access, create: boolean): Promise<Engine> {
  return openEngine(database, {
    access,
    create,
    queueLimit: 100,
    connections: 1,
    timeout: access === 'tokens' ? TOKENS_TIMEOUT_MS : TIMEOUT_MS,
    random: Math.random,
    // A normal end of the process would close the store's files, and so sync them once more.
    onFatal: () => process.once('beforeExit', () => process.exit()),
  });
}

/** Opens the data as `openForCommand` does, and closes it when the work ends. */
export async function withEngine<T>(
  database: string,
  access: Access,
  create: boolean,
  work: (engine: Engine) => Promise<T>,
): Promise<T> {
  const engine = await openForCommand(database, access, create);
  try {
    return await work(engine);
  } finally {
    await engine.close();
  }
}
