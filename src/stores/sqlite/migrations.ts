/** Creates the tables of a file. Each step is taken once, in order, and counted in the file's user_version. */
import { randomBytes } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { types } from 'node:util';
import { StartupError } from '../../errors.ts';
import type { EngineOptions } from '../engine.ts';
import { refuseNewer } from '../format.ts';
import { SHARED_TABLES } from '../shared-tables.ts';
import { createTransaction } from './transaction.ts';

/**
 * Plants are clustered by (store, id): a page of the list is one range, and creating a plant changes one leaf. A store
 * is a small number in `plants`. Its name is only in `stores`. `revisions` keeps the highest number of a store, so that
 * the number of a removed store is never used again.
 */
const OWN_TABLES = `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE revisions (of TEXT PRIMARY KEY, revision INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  INSERT INTO revisions VALUES ('stores', 0);

  CREATE TABLE stores (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE plants (
    store INTEGER NOT NULL REFERENCES stores (number),
    id INTEGER NOT NULL,
    name TEXT NOT NULL,
    tag TEXT,
    version INTEGER NOT NULL,
    PRIMARY KEY (store, id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX plants_by_tag ON plants (store, tag, id) WHERE tag IS NOT NULL`;

/** Tables whose rows are short and found by their primary key alone. */
const WITHOUT_ROWID = ['quotas', 'event_counts', 'events', 'webhooks', 'webhook_attempts'];

function toSqlite([name, sql]: readonly [string, string]): string {
  const own = sql.replaceAll('int8', 'INTEGER').replaceAll(' COLLATE "C"', '');
  if (!own.startsWith('CREATE TABLE')) return own;
  return `${own} STRICT${WITHOUT_ROWID.includes(name) ? ', WITHOUT ROWID' : ''}`;
}

/** The first step creates format 1, which is the format of 1.0.0. Each further step makes the next format. */
export const STEPS: readonly string[] = [[OWN_TABLES, ...Object.entries(SHARED_TABLES).map(toSqlite)].join(';\n')];

/** The letters PLST. */
export const APPLICATION_ID = 0x504c5354;
const CURSOR_KEY = 'cursor-key';
const CURSOR_KEY_BYTES = 32;

/** Updates the file to this version's tables. The lock lets only one of several starting processes do it. */
export function migrate(database: DatabaseSync, onUpgrade: EngineOptions['onUpgrade'], steps = STEPS): void {
  if (formatOf(database, steps.length) === steps.length) return;
  const before = createTransaction(database)(() => {
    const format = formatOf(database, steps.length);
    for (const step of steps.slice(format)) database.exec(step);
    const insert = database.prepare('INSERT INTO meta VALUES (?, ?) ON CONFLICT DO NOTHING');
    insert.run(CURSOR_KEY, randomBytes(CURSOR_KEY_BYTES));
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${steps.length}`);
    return format;
  });
  if (before > 0 && before < steps.length) onUpgrade?.(before, steps.length);
}

/** Returns the format of the tables. Throws a StartupError if a newer program wrote them. */
export function formatOf(database: DatabaseSync, latest = STEPS.length): number {
  const format = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
  refuseNewer(format, latest);
  return format;
}

/** Throws a StartupError unless the tables are of this version. */
export function refuseOther(database: DatabaseSync): void {
  const format = formatOf(database);
  if (format === STEPS.length) return;
  throw new StartupError(
    `its tables do not exist yet (format ${format}, not ${STEPS.length}): plantstore serve creates them`,
  );
}

/** Returns the secret key for list cursors, which was created with the file. */
export function cursorKey(database: DatabaseSync): Uint8Array {
  const row = database.prepare('SELECT value FROM meta WHERE key = ?').get(CURSOR_KEY);
  const key = row?.['value'];
  if (!types.isUint8Array(key)) throw new StartupError('its cursor key is missing');
  return key;
}
