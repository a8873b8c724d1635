/** Plants in a SQLite file, for the peers with better-sqlite3 and with bun:sqlite. */

/** The id is a plain number, as in ordinary code. It is exact only up to 2^53, so the load stays below that. */
export interface Plant {
  readonly id: number;
  readonly name: string;
  readonly tag?: string | undefined;
}

interface Row {
  readonly id: number;
  readonly name: string;
  readonly tag: string | null;
}

/** What better-sqlite3 and bun:sqlite have in common. */
export interface Statement {
  get(...values: (number | string | null)[]): unknown;
  all(...values: (number | string | null)[]): unknown[];
  run(...values: (number | string | null)[]): { readonly changes: number };
}

export interface Plants {
  /** False when the id is taken by a plant with another name or tag. */
  create(plant: Plant): boolean;
  get(id: number): Plant | undefined;
  /** Ascending by id. With a tag, only plants that have it. */
  list(limit: number, tag: string | undefined): Plant[];
}

/** A response means that the plant is on the disk: SQLite syncs the log at every commit. */
export const PRAGMAS = ['journal_mode = WAL', 'synchronous = FULL'] as const;

export const SCHEMA = `
  CREATE TABLE IF NOT EXISTS plants (id INTEGER PRIMARY KEY, name TEXT NOT NULL, tag TEXT);
  CREATE INDEX IF NOT EXISTS plants_tag ON plants (tag);
`;

/** Prepares every statement once. */
export function plantsOn(prepare: (sql: string) => Statement): Plants {
  const insert = prepare('INSERT INTO plants (id, name, tag) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING');
  const select = prepare('SELECT id, name, tag FROM plants WHERE id = ?');
  const selectFirst = prepare('SELECT id, name, tag FROM plants ORDER BY id LIMIT ?');
  const selectTagged = prepare('SELECT id, name, tag FROM plants WHERE tag = ? ORDER BY id LIMIT ?');

  function get(id: number) {
    const row = select.get(id) as Row | null | undefined;
    return row ? plantOf(row) : undefined;
  }

  return {
    create({ id, name, tag }) {
      if (insert.run(id, name, tag ?? null).changes === 1) return true;
      const there = get(id);
      return there?.name === name && there.tag === tag;
    },
    get,
    list(limit, tag) {
      const rows = tag === undefined ? selectFirst.all(limit) : selectTagged.all(tag, limit);
      return (rows as Row[]).map(plantOf);
    },
  };
}

function plantOf({ id, name, tag }: Row): Plant {
  return tag === null ? { id, name } : { id, name, tag };
}
