/**
 * The tables of format 1 that are the same in both engines, with their indexes, by name. They are in the SQL of
 * PostgreSQL, which `toSqlite` (sqlite/migrations.ts) translates.
 */
export const SHARED_TABLES = {
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
} as const;
