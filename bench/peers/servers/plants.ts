/** What the peers on SQLite say about a plant, and the statements that they prepare. */

/** The id is a plain number, as in ordinary code: it is exact up to 2^53 only, so the load stays below that. */
export interface Plant {
  readonly id: number;
  readonly name: string;
  readonly tag?: string | undefined;
}

export interface Row {
  readonly id: number;
  readonly name: string;
  readonly tag: string | null;
}

export interface Plants {
  /** False when the id is taken by a plant with another name or tag. */
  create(plant: Plant): boolean;
  get(id: number): Plant | undefined;
  /** Ascending by id; with a tag only those that have it. */
  list(limit: number, tag: string | undefined): Plant[];
  /** False when there is no such plant. */
  replace(plant: Plant): boolean;
}

/** An answer means that the plant is on the disk: SQLite syncs the log at every commit. */
export const PRAGMAS = ['journal_mode = WAL', 'synchronous = FULL'] as const;

export const SCHEMA = `
  CREATE TABLE IF NOT EXISTS plants (id INTEGER PRIMARY KEY, name TEXT NOT NULL, tag TEXT);
  CREATE INDEX IF NOT EXISTS plants_tag ON plants (tag);
`;

export const INSERT = 'INSERT INTO plants (id, name, tag) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING';
export const SELECT = 'SELECT id, name, tag FROM plants WHERE id = ?';
export const SELECT_FIRST = 'SELECT id, name, tag FROM plants ORDER BY id LIMIT ?';
export const SELECT_TAGGED = 'SELECT id, name, tag FROM plants WHERE tag = ? ORDER BY id LIMIT ?';
export const UPDATE = 'UPDATE plants SET name = ?, tag = ? WHERE id = ?';

export function plantOf({ id, name, tag }: Row): Plant {
  return tag === null ? { id, name } : { id, name, tag };
}

export function isSame(one: Plant, other: Plant): boolean {
  return one.name === other.name && one.tag === other.tag;
}
