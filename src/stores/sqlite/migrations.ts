/** Creates the tables of a file. Each step is taken once, in order, and counted in the file's user_version. */
import { randomBytes } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { types } from 'node:util';
import { StartupError } from '../../errors.ts';
import type { EngineOptions } from '../engine.ts';
import { refuseNewer } from '../format.ts';
import { createTransaction } from './transaction.ts';

/**
 * Plants are clustered by (store, id): a page of the list is one range, and creating a plant changes one leaf. A store
 * is a small number in `plants`. Its name is only in `stores`. `revisions` keeps the highest number of a store, so that
 * the number of a removed store is never used again.
 */
const FORMAT_1 = `
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
  CREATE INDEX plants_by_tag ON plants (store, tag, id) WHERE tag IS NOT NULL;

  CREATE TABLE tokens (
    hash TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    store TEXT NOT NULL,
    scopes TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER
  ) STRICT;

  CREATE TABLE sandboxes (
    id TEXT PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    address TEXT NOT NULL,
    plants TEXT NOT NULL,
    store TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    faults TEXT NOT NULL,
    changed_at INTEGER NOT NULL,
    extends_to INTEGER
  ) STRICT;
  CREATE INDEX sandboxes_by_change ON sandboxes (changed_at);
  CREATE INDEX sandboxes_by_end ON sandboxes (expires_at);
  CREATE INDEX sandboxes_by_address ON sandboxes (address, expires_at);

  -- plants: a JSON array of the plants, and what they count in the quota of the store.
  CREATE TABLE snapshots (
    store TEXT NOT NULL,
    number INTEGER NOT NULL,
    at INTEGER NOT NULL,
    plant_count INTEGER NOT NULL,
    plant_bytes INTEGER NOT NULL,
    plants TEXT NOT NULL,
    PRIMARY KEY (store, number)
  ) STRICT;

  -- A row for each store with a quota: the number and size of its plants, and the maximum of each.
  CREATE TABLE quotas (
    store TEXT PRIMARY KEY,
    plants INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    most_plants INTEGER NOT NULL,
    most_bytes INTEGER NOT NULL,
    most_events INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE event_counts (store TEXT PRIMARY KEY, last INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE events (
    store TEXT NOT NULL,
    number INTEGER NOT NULL,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    id INTEGER,
    name TEXT,
    tag TEXT,
    previous_name TEXT,
    previous_tag TEXT,
    PRIMARY KEY (store, number)
  ) STRICT, WITHOUT ROWID;

  -- place: the number of the last event that was delivered. holder: the process that delivers.
  CREATE TABLE webhooks (
    store TEXT NOT NULL,
    id TEXT NOT NULL,
    url TEXT,
    types TEXT NOT NULL,
    description TEXT,
    credential TEXT NOT NULL,
    ends_at INTEGER,
    period TEXT NOT NULL,
    place INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    previous_until INTEGER NOT NULL,
    reason TEXT,
    failures INTEGER NOT NULL,
    failing_since INTEGER,
    next_at INTEGER,
    created_at INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    holder TEXT,
    PRIMARY KEY (store, id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX webhooks_by_holder ON webhooks (holder);
  -- A row for each process that delivers. A beat that no longer rises belongs to a process that ended.
  CREATE TABLE webhook_holders (id TEXT PRIMARY KEY, beat INTEGER NOT NULL) STRICT;
  -- Attempts that ended together, as a JSON array. number, total: attempts and bytes of the webhook up to the last one.
  CREATE TABLE webhook_attempts (
    store TEXT NOT NULL,
    webhook TEXT NOT NULL,
    number INTEGER NOT NULL,
    total INTEGER NOT NULL,
    attempts TEXT NOT NULL,
    PRIMARY KEY (store, webhook, number),
    FOREIGN KEY (store, webhook) REFERENCES webhooks (store, id) ON DELETE CASCADE
  ) STRICT, WITHOUT ROWID;`;

/** The first step creates format 1, which is the format of 1.0.0. Each further step makes the next format. */
export const STEPS: readonly string[] = [FORMAT_1];

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
