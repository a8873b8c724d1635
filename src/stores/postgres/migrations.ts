/** Creates the tables in steps that any number of replicas can take at the same time without locks. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { NoDatabase, StartupError } from '../../errors.ts';
import type { EngineOptions } from '../engine.ts';
import { isCreationRace } from './failures.ts';
import type { Query } from './session.ts';

/** Tables and indexes by name, with their columns. */
export interface Step {
  readonly tables: Readonly<Record<string, string>>;
  /** Columns that are added to tables of earlier steps, by table. */
  readonly columns?: Readonly<Record<string, string>>;
  readonly indexes: Readonly<Record<string, string>>;
}

/** Created first, since it distinguishes a schema of this service from one of another application. */
const META: Step = {
  tables: { plantstore_meta: 'key text COLLATE "C" PRIMARY KEY, value text NOT NULL' },
  indexes: {},
};

/**
 * COLLATE "C" compares bytes. That is faster than a language's order and does not change with the system's libraries.
 * Tags are found by a digest, since an index entry cannot hold 4 KiB of text.
 */
const STEPS: readonly Step[] = [
  {
    tables: {
      plants: `
        store text COLLATE "C" NOT NULL,
        id int8 NOT NULL,
        name text COLLATE "C" NOT NULL,
        tag text COLLATE "C",
        tag_digest int8,
        version int8 NOT NULL,
        PRIMARY KEY (store, id)`,
      tokens: `
        hash text COLLATE "C" PRIMARY KEY,
        name text COLLATE "C" NOT NULL,
        store text COLLATE "C" NOT NULL,
        scopes text NOT NULL,
        created_at int8 NOT NULL,
        expires_at int8,
        revoked_at int8`,
    },
    indexes: { plants_by_tag: 'plants (store, tag_digest, id) WHERE tag_digest IS NOT NULL' },
  },
  {
    tables: {
      sandboxes: `
        id text COLLATE "C" PRIMARY KEY,
        hash text COLLATE "C" NOT NULL,
        address text COLLATE "C" NOT NULL,
        plants text NOT NULL,
        store text COLLATE "C" NOT NULL,
        created_at int8 NOT NULL,
        expires_at int8 NOT NULL,
        faults text NOT NULL,
        changed_at int8 NOT NULL`,
      sandbox_stores: `
        store text COLLATE "C" PRIMARY KEY,
        sandbox text COLLATE "C" NOT NULL,
        used_until int8 NOT NULL,
        snapshot int8,
        snapshot_at int8`,
    },
    indexes: {
      sandboxes_by_hash: 'sandboxes (hash)',
      sandboxes_by_change: 'sandboxes (changed_at)',
      sandboxes_by_end: 'sandboxes (expires_at)',
      sandboxes_by_address: 'sandboxes (address, expires_at)',
      sandbox_stores_by_end: 'sandbox_stores (used_until)',
      sandbox_stores_by_sandbox: 'sandbox_stores (sandbox)',
    },
  },
  { tables: {}, columns: { sandboxes: 'extends_to int8', sandbox_stores: 'bytes int8' }, indexes: {} },
  {
    tables: {
      event_counts: 'store text COLLATE "C" PRIMARY KEY, last int8 NOT NULL, keep int8',
      events: `
        store text COLLATE "C" NOT NULL,
        number int8 NOT NULL,
        at int8 NOT NULL,
        kind text NOT NULL,
        id int8,
        name text COLLATE "C",
        tag text COLLATE "C",
        previous_name text COLLATE "C",
        previous_tag text COLLATE "C",
        PRIMARY KEY (store, number)`,
    },
    indexes: {},
  },
];

/** The tables of this version. */
export const TABLES = [META, ...STEPS].flatMap(({ tables }) => Object.keys(tables));

const INSERT_META = 'INSERT INTO plantstore_meta (key, value) VALUES ($1, $2) ON CONFLICT DO NOTHING';
const RAISE_META = 'UPDATE plantstore_meta SET value = $2 WHERE key = $1 AND CAST(value AS int8) < CAST($2 AS int8)';
const SELECT_META = 'SELECT value FROM plantstore_meta WHERE key = $1';

/** The names of tables and indexes. Unlike information_schema, pg_class includes those that the user may not use. */
const NAMES = `SELECT tablename FROM pg_catalog.pg_tables WHERE schemaname = current_schema()
    UNION ALL SELECT indexname FROM pg_catalog.pg_indexes WHERE schemaname = current_schema()`;

const COLUMN = `SELECT 1 FROM pg_catalog.pg_attribute WHERE attrelid = to_regclass($1) AND attname = $2`;

const VERSION = 'schema-version';
const CURSOR_KEY = 'cursor-key';
const CURSOR_KEY_BYTES = 32;
const RACE_PAUSE_MS = 20;

interface PrepareOptions extends Pick<EngineOptions, 'onUpgrade'> {
  /** Whether to create tables. */
  readonly create: boolean;
  /** The longest that this may take, in milliseconds. */
  readonly timeout: number;
}

/**
 * Makes sure that the current schema has this version's tables. Resolves to the secret key for list cursors. Throws a
 * StartupError, and changes nothing, if another application owns the schema.
 */
export async function prepareTables(query: Query, { create, timeout, onUpgrade }: PrepareOptions): Promise<Uint8Array> {
  const names = (await query(NAMES)).map(([name]) => String(name));
  const version = await schemaVersion(query, names);
  // A user of a database that is up to date does not need the right to create tables.
  if (version !== STEPS.length) {
    if (!create) throw new NoDatabase('it holds no tables of this version of Plant Store yet');
    await migrate(query, names, [META, ...STEPS.slice(version)], performance.now() + timeout);
    if (version > 0) onUpgrade?.(version, STEPS.length);
  }
  const [key] = await query(SELECT_META, [CURSOR_KEY]);
  if (typeof key?.[0] !== 'string') throw new StartupError('its cursor key is missing');
  return Buffer.from(key[0], 'base64');
}

/**
 * Skips tables, columns and indexes that exist: an operator may have created them differently (docs/postgres.md), for example
 * without the collation if the server refuses it. If two processes create the same table, the later CREATE fails in
 * spite of IF NOT EXISTS. That process begins again.
 */
async function migrate(
  query: Query,
  names: readonly string[],
  steps: readonly Step[],
  deadline: number,
): Promise<void> {
  try {
    for (const { tables, columns = {}, indexes } of steps) {
      for (const [name, columns] of Object.entries(tables)) {
        if (!names.includes(name)) await query(`CREATE TABLE IF NOT EXISTS ${name} (${columns})`);
      }
      for (const [name, column] of Object.entries(columns)) {
        if (!(await hasColumn(query, name, column)))
          await query(`ALTER TABLE ${name} ADD COLUMN IF NOT EXISTS ${column}`);
      }
      for (const [name, on] of Object.entries(indexes)) {
        if (!names.includes(name)) await query(`CREATE INDEX IF NOT EXISTS ${name} ON ${on}`);
      }
    }
    await query(INSERT_META, [CURSOR_KEY, randomBytes(CURSOR_KEY_BYTES).toString('base64')]);
    await query(INSERT_META, [VERSION, '0']);
    await query(RAISE_META, [VERSION, String(STEPS.length)]);
  } catch (error) {
    if (!isCreationRace(error) || performance.now() > deadline) throw error;
    await sleep(RACE_PAUSE_MS);
    await migrate(query, names, steps, deadline);
  }
}

/** `column`: a name and a type. */
async function hasColumn(query: Query, table: string, column: string): Promise<boolean> {
  return (await query(COLUMN, [table, column.split(' ', 1)[0]])).length > 0;
}

/**
 * Returns 0 for an empty schema. Throws a StartupError if the schema cannot be used, for example for foreign tables.
 */
async function schemaVersion(query: Query, names: readonly string[]): Promise<number> {
  // Other encodings lack characters that a name may contain. SQL_ASCII takes each byte for a character.
  const encoding = (await query('SHOW server_encoding'))[0]?.[0];
  if (encoding !== 'UTF8') throw new StartupError(`its encoding is ${encoding}, not UTF8`);
  if (names.length === 0) return 0;
  if (!names.includes('plantstore_meta')) {
    throw new StartupError('its schema holds tables of another application: use an empty schema');
  }
  const [row] = await query(SELECT_META, [VERSION]);
  const version = Number(row?.[0] ?? 0);
  if (version <= STEPS.length) return version;
  throw new StartupError(`it was written by a newer version of Plant Store (schema ${version}, not ${STEPS.length})`);
}
