/** Rows that an engine writes in the transaction of a write, so that they exist exactly if the write was committed. */

/**
 * Plain data, since it is copied to the writer's thread. Every statement can read the relation `changes (kind, store,
 * id, name, tag, previous_name, previous_tag)`. It has one row for each plant that the write created, replaced or
 * deleted, and no row for a replay or a refused write. `name` and `tag` are NULL for a deletion, `previous_name` and
 * `previous_tag` for a creation. `clear` and the SQL of features make no changes. If a statement fails, nothing is
 * stored.
 */
export interface FurtherRows {
  /** The columns of each table, by its name. The engine creates the tables when it opens the data. */
  readonly tables: Readonly<Record<string, { readonly sqlite: string; readonly postgres: string }>>;
  /** SQLite runs these statements in their order for each changed plant. */
  readonly sqlite: readonly string[];
  /** PostgreSQL runs these as common table expressions of one statement. Each can read what earlier ones return. */
  readonly postgres: Readonly<Record<string, string>>;
}

export type ChangeKind = 'created' | 'replaced' | 'deleted';

export const CHANGE_COLUMNS = 'kind, store, id, name, tag, previous_name, previous_tag';

/** The columns of an engine's further tables, by the names of the tables. */
export function furtherTables(
  further: readonly FurtherRows[],
  engine: 'sqlite' | 'postgres',
): Readonly<Record<string, string>> {
  const tables = further.flatMap((rows) => Object.entries(rows.tables));
  return Object.fromEntries(tables.map(([name, columns]) => [name, columns[engine]]));
}
