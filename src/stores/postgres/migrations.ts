/** Creates the tables in steps that any number of replicas can take at the same time without locks. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { NoDatabase, StartupError } from '../../errors.ts';
import type { EngineOptions } from '../engine.ts';
import { refuseDevelopment, refuseNewer } from '../format.ts';
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

  tokens: `CREATE TABLE IF NOT EXISTS tokens (
    hash text COLLATE "C" PRIMARY KEY,
    name text COLLATE "C" NOT NULL,
    store text COLLATE "C" NOT NULL,
    scopes text NOT NULL,
    created_at int8 NOT NULL,
    expires_at int8,
    revoked_at int8
  )`,

  sandboxes: `CREATE TABLE IF NOT EXISTS sandboxes (
    id text COLLATE "C" PRIMARY KEY,
    hash text COLLATE "C" NOT NULL,
    address text COLLATE "C" NOT NULL,
    plants text NOT NULL,
    store text COLLATE "C" NOT NULL,
    created_at int8 NOT NULL,
    expires_at int8 NOT NULL,
    faults text NOT NULL,
    changed_at int8 NOT NULL,
    extends_to int8
  )`,
  sandboxes_by_hash: 'CREATE INDEX IF NOT EXISTS sandboxes_by_hash ON sandboxes (hash)',
  sandboxes_by_change: 'CREATE INDEX IF NOT EXISTS sandboxes_by_change ON sandboxes (changed_at)',
  sandboxes_by_end: 'CREATE INDEX IF NOT EXISTS sandboxes_by_end ON sandboxes (expires_at)',
  sandboxes_by_address: 'CREATE INDEX IF NOT EXISTS sandboxes_by_address ON sandboxes (address, expires_at)',

  // `plants`: a JSON array of the plants, and what they count in the quota. As text, so that its length is its size.
  snapshots: `CREATE TABLE IF NOT EXISTS snapshots (
    store text COLLATE "C" NOT NULL,
    number int8 NOT NULL,
    at int8 NOT NULL,
    plant_count int8 NOT NULL,
    plant_bytes int8 NOT NULL,
    plants text NOT NULL,
    PRIMARY KEY (store, number)
  )`,

  // A row for each store with a quota: the number and size of its plants, and the maximum of each.
  quotas: `CREATE TABLE IF NOT EXISTS quotas (
    store text COLLATE "C" PRIMARY KEY,
    plants int8 NOT NULL,
    bytes int8 NOT NULL,
    most_plants int8 NOT NULL,
    most_bytes int8 NOT NULL,
    most_events int8 NOT NULL
  )`,

  event_counts: `CREATE TABLE IF NOT EXISTS event_counts (
    store text COLLATE "C" PRIMARY KEY,
    last int8 NOT NULL
  )`,
  events: `CREATE TABLE IF NOT EXISTS events (
    store text COLLATE "C" NOT NULL,
    number int8 NOT NULL,
    at int8 NOT NULL,
    kind text NOT NULL,
    id int8,
    name text COLLATE "C",
    tag text COLLATE "C",
    previous_name text COLLATE "C",
    previous_tag text COLLATE "C",
    PRIMARY KEY (store, number)
  )`,

  // `place`: the number of the last event that was delivered. `holder`: the process that delivers.
  webhooks: `CREATE TABLE IF NOT EXISTS webhooks (
    store text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    url text,
    types text NOT NULL,
    description text,
    credential text NOT NULL,
    ends_at int8,
    period text NOT NULL,
    place int8 NOT NULL,
    generation int8 NOT NULL,
    previous_until int8 NOT NULL,
    reason text,
    failures int8 NOT NULL,
    failing_since int8,
    next_at int8,
    created_at int8 NOT NULL,
    revision int8 NOT NULL,
    holder text COLLATE "C",
    PRIMARY KEY (store, id)
  )`,
  webhooks_by_holder: 'CREATE INDEX IF NOT EXISTS webhooks_by_holder ON webhooks (holder)',
  // A row for each process that delivers. A beat that no longer rises belongs to a process that ended.
  webhook_holders: `CREATE TABLE IF NOT EXISTS webhook_holders (
    id text COLLATE "C" PRIMARY KEY,
    beat int8 NOT NULL
  )`,
  // Attempts that ended together, as a JSON array. `number`, `total`: attempts and bytes of the webhook up to the last.
  webhook_attempts: `CREATE TABLE IF NOT EXISTS webhook_attempts (
    store text COLLATE "C" NOT NULL,
    webhook text COLLATE "C" NOT NULL,
    number int8 NOT NULL,
    total int8 NOT NULL,
    attempts text NOT NULL,
    PRIMARY KEY (store, webhook, number),
    FOREIGN KEY (store, webhook) REFERENCES webhooks (store, id) ON DELETE CASCADE
  )`,
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
