/** Makes the tables, in steps that any number of replicas may take at once, without locks. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { NoDatabase, StartupError } from '../../errors.ts';
import { isCreationRace } from './failures.ts';
import type { Query } from './session.ts';

/**
 * Every statement does nothing where it was done before, so that a step that was cut off, or is taken by several at
 * once, ends the same. For tables that an operator laid out beforehand (docs/postgres.md has them) none is sent: a server
 * may refuse what is said of them here, such as the collation, or refuse it on this node.
 *
 * COLLATE "C" compares bytes, which is quicker than a language's order and does not change with the system's libraries.
 * Tags are looked up by a digest, since an index entry cannot hold 4 KiB of text.
 */
const STEPS: readonly (readonly string[])[] = [
  [
    `CREATE TABLE IF NOT EXISTS plants (
       store text COLLATE "C" NOT NULL,
       id int8 NOT NULL,
       name text COLLATE "C" NOT NULL,
       tag text COLLATE "C",
       tag_digest int8,
       version int8 NOT NULL,
       PRIMARY KEY (store, id)
     )`,
    'CREATE INDEX IF NOT EXISTS plants_by_tag ON plants (store, tag_digest, id) WHERE tag_digest IS NOT NULL',
    `CREATE TABLE IF NOT EXISTS tokens (
       hash text COLLATE "C" PRIMARY KEY,
       name text COLLATE "C" NOT NULL,
       store text COLLATE "C" NOT NULL,
       scopes text NOT NULL,
       created_at int8 NOT NULL,
       expires_at int8,
       revoked_at int8
     )`,
  ],
  [
    `CREATE TABLE IF NOT EXISTS sandboxes (
       id text COLLATE "C" PRIMARY KEY,
       hash text COLLATE "C" NOT NULL,
       address text COLLATE "C" NOT NULL,
       plants text NOT NULL,
       store text COLLATE "C" NOT NULL,
       created_at int8 NOT NULL,
       expires_at int8 NOT NULL,
       faults text NOT NULL,
       changed_at int8 NOT NULL
     )`,
    'CREATE INDEX IF NOT EXISTS sandboxes_by_hash ON sandboxes (hash)',
    'CREATE INDEX IF NOT EXISTS sandboxes_by_change ON sandboxes (changed_at)',
    'CREATE INDEX IF NOT EXISTS sandboxes_by_end ON sandboxes (expires_at)',
    'CREATE INDEX IF NOT EXISTS sandboxes_by_address ON sandboxes (address, expires_at)',
    `CREATE TABLE IF NOT EXISTS sandbox_stores (
       store text COLLATE "C" PRIMARY KEY,
       sandbox text COLLATE "C" NOT NULL,
       used_until int8 NOT NULL,
       snapshot int8,
       snapshot_at int8
     )`,
    'CREATE INDEX IF NOT EXISTS sandbox_stores_by_end ON sandbox_stores (used_until)',
    'CREATE INDEX IF NOT EXISTS sandbox_stores_by_sandbox ON sandbox_stores (sandbox)',
  ],
];
/** Made first: it tells a schema of this service from one of another application. */
const META = 'CREATE TABLE IF NOT EXISTS plantstore_meta (key text COLLATE "C" PRIMARY KEY, value text NOT NULL)';
const INSERT_META = 'INSERT INTO plantstore_meta (key, value) VALUES ($1, $2) ON CONFLICT DO NOTHING';
const RAISE_META = 'UPDATE plantstore_meta SET value = $2 WHERE key = $1 AND CAST(value AS int8) < CAST($2 AS int8)';
const SELECT_META = 'SELECT value FROM plantstore_meta WHERE key = $1';

/** Of tables and indexes. Unlike information_schema it also has those that the user has no right to. */
const NAMES = `SELECT tablename FROM pg_catalog.pg_tables WHERE schemaname = current_schema()
    UNION ALL SELECT indexname FROM pg_catalog.pg_indexes WHERE schemaname = current_schema()`;

const VERSION = 'schema-version';
const CURSOR_KEY = 'cursor-key';
const CURSOR_KEY_BYTES = 32;
const RACE_PAUSE_MS = 20;

/**
 * Makes sure that the current schema holds this version's tables, and resolves to the secret that list cursors are
 * authenticated with. Without `create` no tables are made. Throws a StartupError, and changes nothing, when the schema is
 * another's. `timeout`: the longest that this may take, in milliseconds.
 */
export async function prepareTables(query: Query, create: boolean, timeout: number): Promise<Uint8Array> {
  const names = (await query(NAMES)).map(([name]) => String(name));
  const version = await schemaVersion(query, names);
  // Nothing is asked of a database that is up to date: its user need not be allowed to create tables.
  if (version !== STEPS.length) {
    if (!create) throw new NoDatabase('it holds no tables of this version of Plant Store yet');
    await migrate(query, names, version, performance.now() + timeout);
  }
  const [key] = await query(SELECT_META, [CURSOR_KEY]);
  if (typeof key?.[0] !== 'string') throw new StartupError('its cursor key is missing');
  return Buffer.from(key[0], 'base64');
}

/** IF NOT EXISTS does not keep two sessions from creating the same at once: the later one fails, and takes the steps again. */
async function migrate(query: Query, names: readonly string[], version: number, deadline: number): Promise<void> {
  try {
    const isThere = (statement: string) => names.includes(/ EXISTS (\w+)/.exec(statement)?.[1] ?? '');
    for (const statement of [META, ...STEPS.slice(version).flat()]) if (!isThere(statement)) await query(statement);
    await query(INSERT_META, [CURSOR_KEY, randomBytes(CURSOR_KEY_BYTES).toString('base64')]);
    await query(INSERT_META, [VERSION, '0']);
    await query(RAISE_META, [VERSION, String(STEPS.length)]);
  } catch (error) {
    if (!isCreationRace(error) || performance.now() > deadline) throw error;
    await sleep(RACE_PAUSE_MS);
    await migrate(query, names, version, deadline);
  }
}

/** 0 for an empty schema. Throws a StartupError when it cannot be used: the tables are another's, for example. */
async function schemaVersion(query: Query, names: readonly string[]): Promise<number> {
  // Others lack characters that a name may have, and SQL_ASCII takes each byte for one.
  const encoding = (await query('SHOW server_encoding'))[0]?.[0];
  if (encoding !== 'UTF8') throw new StartupError(`its encoding is ${encoding}, not UTF8`);
  if (names.length === 0) return 0;
  if (!names.includes('plantstore_meta')) {
    throw new StartupError('its schema holds tables of another application; it needs one of its own');
  }
  const [row] = await query(SELECT_META, [VERSION]);
  const version = Number(row?.[0] ?? 0);
  if (version <= STEPS.length) return version;
  throw new StartupError(`it was written by a newer version of Plant Store (schema ${version}, here ${STEPS.length})`);
}
