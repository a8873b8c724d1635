/** Opens the engine that a `--database` value names. */
import { resolve } from 'node:path';
import type { Access, Engine } from './engine.ts';
import type { PostgresOptions } from './postgres/client.ts';
import { openSqlite } from './sqlite/index.ts';

const SQLITE = 'sqlite:';
/** A SQLite file that is removed when the process ends. */
const TEMPORARY = 'temporary';
/** How long a command about tokens waits for PostgreSQL, in milliseconds. */
const TOKENS_TIMEOUT_MS = 5_000;
/** The longest that one statement of an import or an export may take: no client waits for it. */
const TIMEOUT_MS = 30_000;

/** Opens the data for serving. */
export async function openEngine(database: string, options: PostgresOptions): Promise<Engine> {
  if (database.startsWith(SQLITE)) return openSqlite(resolve(database.slice(SQLITE.length)), options);
  // Each is loaded only where it is asked for: the embedded engine starts without them.
  if (database === TEMPORARY) {
    const { openTemporary } = await import('./sqlite/temporary.ts');
    return openTemporary(options);
  }
  const { openPostgres } = await import('./postgres/index.ts');
  return openPostgres(database, options);
}

/** Opens the data for a command, beside a service that may run on it. `create` makes an empty database where there is none. */
export function openForCommand(database: string, access: Access, create: boolean): Promise<Engine> {
  return openEngine(database, {
    access,
    create,
    queueLimit: 100,
    connections: 1,
    timeout: access === 'tokens' ? TOKENS_TIMEOUT_MS : TIMEOUT_MS,
    random: Math.random,
    // At its normal end, which follows, the process would close the store's files, which syncs them once more.
    onFatal: () => process.once('beforeExit', () => process.exit()),
  });
}

/** Opens the data as `openForCommand` does for the time of some work. */
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
