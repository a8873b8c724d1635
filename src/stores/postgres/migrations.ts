/** Creates the tables in steps that any number of replicas can take at the same time without locks. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { NoDatabase, StartupError } from '../../errors.ts';
import type { EngineOptions } from '../engine.ts';
import { refuseDevelopment, refuseNewer } from '../format.ts';
import { SHARED_TABLES } from '../shared-tables.ts';
import { isCreationRace } from './failures.ts';
import type { Query } from './session.ts';

/**
 * A statement for each table, index and added column, by its name. The name of a column contains its table:
 * `plants.colour`. A statement does nothing if the name exists.
 */
export type Step = Readonly<Record<string, string>>;

/** Created first, since it distinguishes a schema of this service from one of another application. */
const META: Step = {
  plantstore_meta: 'CREATE TABLE IF NOT EXISTS plantstore_meta (key text COLLATE "C" PRIMARY KEY, value text NOT NULL)',
};

/**
 * COLLATE "C" compares bytes. That is faster than a language's order and does not change with the system's libraries.
 * Tags are found by a digest, since an index entry cannot hold 4 KiB of text.
 */
const FORMAT_1: Step = {
  plants: `CREATE TABLE IF NOT EXISTS plants (
    store text COLLATE "C" NOT NULL,
    id int8 NOT NULL,
    name text COLLATE "C" NOT NULL,
    tag text COLLATE "C",
    tag_digest int8,
    version int8 NOT NULL,
    PRIMARY KEY (store, id)
  )`,
  plants_by_tag: `CREATE INDEX IF NOT EXISTS plants_by_tag ON plants (store, tag_digest, id)
    WHERE tag_digest IS NOT NULL`,
  ...SHARED_TABLES,
};

/** The first step creates format 1, which is the format of 1.0.0. Each further step makes the next format. */
export const STEPS: readonly Step[] = [FORMAT_1];

/** The tables of this version. */
export const TABLES = [META, ...STEPS].flatMap((step) =>
  Object.entries(step).flatMap(([name, sql]) => (sql.startsWith('CREATE TABLE') ? [name] : [])),
);

const INSERT_META = 'INSERT INTO plantstore_meta (key, value) VALUES ($1, $2) ON CONFLICT DO NOTHING';
const RAISE_META = 'UPDATE plantstore_meta SET value = $2 WHERE key = $1 AND CAST(value AS int8) < CAST($2 AS int8)';
const SELECT_META = 'SELECT value FROM plantstore_meta WHERE key = $1';

/**
 * The names of tables, indexes and columns. Unlike information_schema, these views include those that the user may not
 * use.
 */
const NAMES = `SELECT tablename FROM pg_catalog.pg_tables WHERE schemaname = current_schema()
    UNION ALL SELECT indexname FROM pg_catalog.pg_indexes WHERE schemaname = current_schema()
    UNION ALL SELECT tablename || '.' || attname FROM pg_catalog.pg_tables
      JOIN pg_catalog.pg_attribute ON attrelid = to_regclass(quote_ident(schemaname) || '.' || quote_ident(tablename))
      WHERE schemaname = current_schema() AND attnum > 0 AND NOT attisdropped`;

/** The key of the format in `plantstore_meta`. Development versions before 1.0.0 used another key. */
const FORMAT = 'format';
const DEVELOPMENT_FORMAT = 'schema-version';
const CURSOR_KEY = 'cursor-key';
const CURSOR_KEY_BYTES = 32;
const RACE_PAUSE_MS = 20;

interface PrepareOptions extends Pick<EngineOptions, 'onUpgrade'> {
  /** Whether to create tables. */
  readonly create: boolean;
  /** The longest that this may take, in milliseconds. */
  readonly timeout: number;
  readonly steps?: readonly Step[];
}

/**
 * Makes sure that the current schema has this version's tables. Resolves to the secret key for list cursors. Throws a
 * StartupError, and changes nothing, if another application owns the schema.
 */
export async function prepareTables(query: Query, options: PrepareOptions): Promise<Uint8Array> {
  const { create, timeout, onUpgrade, steps = STEPS } = options;
  const names = new Set((await query(NAMES)).map(([name]) => String(name)));
  const format = await formatOf(query, names, steps.length);
  // A user of a database that is up to date does not need the right to create tables.
  if (format !== steps.length) {
    if (!create) throw new NoDatabase('it holds no tables of this version of Plant Store yet');
    const further = [META, ...steps.slice(format)].flatMap((step) => Object.entries(step));
    const missing = further.flatMap(([name, sql]) => (names.has(name) ? [] : [sql]));
    await migrate(query, missing, steps.length, performance.now() + timeout);
    if (format > 0) onUpgrade?.(format, steps.length);
  }
  const [key] = await query(SELECT_META, [CURSOR_KEY]);
  if (typeof key?.[0] !== 'string') throw new StartupError('its cursor key is missing');
  return Buffer.from(key[0], 'base64');
}

/**
 * Creates what is missing. What exists stays: an operator may have created it differently (docs/postgres.md), for
 * example without the collation if the server refuses it. If two processes create the same table, the later CREATE
 * fails in spite of IF NOT EXISTS. That process begins again.
 */
async function migrate(query: Query, missing: readonly string[], format: number, deadline: number): Promise<void> {
  try {
    for (const sql of missing) await query(sql);
    await query(INSERT_META, [CURSOR_KEY, randomBytes(CURSOR_KEY_BYTES).toString('base64')]);
    await query(INSERT_META, [FORMAT, '0']);
    await query(RAISE_META, [FORMAT, String(format)]);
  } catch (error) {
    if (!isCreationRace(error) || performance.now() > deadline) throw error;
    await sleep(RACE_PAUSE_MS);
    await migrate(query, missing, format, deadline);
  }
}

/**
 * Returns 0 for an empty schema. Throws a StartupError if the schema cannot be used, for example for foreign tables.
 */
async function formatOf(query: Query, names: ReadonlySet<string>, latest: number): Promise<number> {
  // Other encodings lack characters that a name may contain. SQL_ASCII takes each byte for a character.
  const encoding = (await query('SHOW server_encoding'))[0]?.[0];
  if (encoding !== 'UTF8') throw new StartupError(`its encoding is ${encoding}, not UTF8`);
  if (names.size === 0) return 0;
  if (!names.has('plantstore_meta')) {
    throw new StartupError('its schema holds tables of another application: use an empty schema');
  }
  const [row] = await query(SELECT_META, [FORMAT]);
  const [development] = row === undefined ? await query(SELECT_META, [DEVELOPMENT_FORMAT]) : [];
  if (development !== undefined) refuseDevelopment(Number(development[0]));
  const format = Number(row?.[0] ?? 0);
  refuseNewer(format, latest);
  return format;
}
