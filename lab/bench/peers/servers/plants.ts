/** Plants and tokens in a SQLite file, for the peers with better-sqlite3 and with bun:sqlite. */
import { hash } from 'node:crypto';

export interface NewPlant {
  /** An exact int64. */
  readonly id: bigint;
  readonly name: string;
  readonly tag?: string | undefined;
}

export interface Plant extends NewPlant {
  /** A number that no other version of any plant has. */
  readonly version: bigint;
}

export interface Page {
  readonly plants: readonly Plant[];
  /** The last id of the page, if more plants follow. */
  readonly next?: bigint;
}

interface Row {
  readonly id: bigint;
  readonly name: string;
  readonly tag: string | null;
  readonly version: bigint;
}

type Value = bigint | number | string | null;

/** What better-sqlite3 and bun:sqlite have in common. Both return integers as BigInts, which are exact. */
export interface Statement {
  get(...values: Value[]): unknown;
  all(...values: Value[]): unknown[];
  run(...values: Value[]): { readonly changes: number };
}

export interface Database {
  exec(sql: string): unknown;
  prepare(sql: string): Statement;
}

export interface Plants {
  /** False when the id is taken by a plant with another name or tag. */
  create(plant: NewPlant): boolean;
  get(id: bigint): Plant | undefined;
  /** Ascending by id, after an id. With a tag, only plants that have it. */
  list(limit: number, tag: string | undefined, after: bigint | undefined): Page;
  /** Whether a token is known, not expired or revoked, and has the scope. */
  mayUse(authorization: string | undefined, scope: string): boolean;
}

/** A response means that the plant is on the disk: SQLite syncs the log at every commit. */
const SCHEMA = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  CREATE TABLE IF NOT EXISTS plants (id INTEGER PRIMARY KEY, name TEXT NOT NULL, tag TEXT, version INTEGER NOT NULL);
  CREATE INDEX IF NOT EXISTS plants_tag ON plants (tag);
  CREATE TABLE IF NOT EXISTS tokens (hash TEXT PRIMARY KEY, scopes TEXT NOT NULL, expires_at INTEGER);
`;
const FIRST = -(2n ** 63n);
const SCOPES = 'plants:read plants:write';

/** Creates the tables, stores the token, and prepares every statement once. */
export function plantsOn(database: Database, token: string): Plants {
  database.exec(SCHEMA);
  const prepare = (sql: string) => database.prepare(sql);
  prepare('INSERT INTO tokens VALUES (?, ?, NULL) ON CONFLICT DO NOTHING').run(hashOf(token), SCOPES);
  const newest = prepare('SELECT coalesce(max(version), 0) AS version FROM plants').get() as Pick<Row, 'version'>;
  let { version } = newest;
  const insert = prepare('INSERT INTO plants (id, name, tag, version) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING');
  const select = prepare('SELECT id, name, tag, version FROM plants WHERE id = ?');
  const after = 'id >= ? ORDER BY id LIMIT ?';
  const selectPage = prepare(`SELECT id, name, tag, version FROM plants WHERE ${after}`);
  const selectTagged = prepare(`SELECT id, name, tag, version FROM plants WHERE tag = ? AND ${after}`);
  const selectToken = prepare('SELECT scopes, expires_at FROM tokens WHERE hash = ?');

  function get(id: bigint) {
    const row = select.get(id) as Row | null | undefined;
    return row ? plantOf(row) : undefined;
  }

  return {
    create({ id, name, tag }) {
      if (insert.run(id, name, tag ?? null, ++version).changes === 1) return true;
      const there = get(id);
      return there?.name === name && there.tag === tag;
    },
    get,
    list(limit, tag, last) {
      const from = last === undefined ? FIRST : last + 1n;
      const rows = (
        tag === undefined ? selectPage.all(from, limit + 1) : selectTagged.all(tag, from, limit + 1)
      ) as Row[];
      const plants = rows.slice(0, limit).map(plantOf);
      const next = rows.length > limit ? plants.at(-1)?.id : undefined;
      return next === undefined ? { plants } : { plants, next };
    },
    mayUse(authorization, scope) {
      if (!authorization?.startsWith('Bearer ')) return false;
      const found = selectToken.get(hashOf(authorization.slice(7)));
      const { scopes, expires_at } = (found ?? { scopes: '' }) as { scopes: string; expires_at?: bigint | null };
      return scopes.split(' ').includes(scope) && (expires_at == null || Number(expires_at) > Date.now());
    },
  };
}

function hashOf(token: string): string {
  return hash('sha256', token, 'base64url');
}

function plantOf({ id, name, tag, version }: Row): Plant {
  return tag === null ? { id, name, version } : { id, name, tag, version };
}
