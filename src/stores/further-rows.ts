/** Rows that an engine writes in the very transaction of a write: they exist exactly when the write was committed. */

/**
 * Plain data, since it is copied to the writer's thread. Every statement may read the relation
 * `changes (kind, store, id, name, tag, previous_name, previous_tag)`. It has a row for each plant that the transaction
 * created, replaced or deleted (`kind`), and none for a replay or a refused write. `name` and `tag` are NULL after a deletion,
 * `previous_name` and `previous_tag` before a creation. `clear` and plain SQL change no rows of it. A statement that fails
 * makes the write fail, and nothing of it is stored.
 */
export interface FurtherRows {
  /** The columns of each table, by its name. The engine makes the tables when it opens the data. */
  readonly tables: Readonly<Record<string, { readonly sqlite: string; readonly postgres: string }>>;
  /** SQLite runs these in their order, after each changed plant. */
  readonly sqlite: readonly string[];
  /** PostgreSQL runs these as common table expressions of one statement. Later ones can read what earlier ones return. */
  readonly postgres: Readonly<Record<string, string>>;
}

export type ChangeKind = 'created' | 'replaced' | 'deleted';

/** The columns of `changes`. */
export const CHANGE_COLUMNS = 'kind, store, id, name, tag, previous_name, previous_tag';

/** The columns of an engine's further tables, by their names. */
export function furtherTables(
  further: readonly FurtherRows[],
  engine: 'sqlite' | 'postgres',
): Readonly<Record<string, string>> {
  const tables = further.flatMap((rows) => Object.entries(rows.tables));
  return Object.fromEntries(tables.map(([name, columns]) => [name, columns[engine]]));
}
