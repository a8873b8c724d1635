/**
 * Changes plants and writes the events of the changes, with the same statement. `written` has one row for each plant
 * that was created, replaced or deleted, and no row for a replay or a refused write.
 *
 * The row of `event_counts` stays locked until the commit, so the events of a store become visible in order. Stores are
 * locked in order of name, so two batches cannot deadlock.
 */
import { columnsOf, type Writes } from './writes.ts';

const INSERT = `
  WITH written AS (
    INSERT INTO plants (store, id, name, tag, tag_digest, version)
    SELECT * FROM unnest(CAST($1 AS text[]), CAST($2 AS int8[]), CAST($3 AS text[]), CAST($4 AS text[]),
      CAST($5 AS int8[]), CAST($6 AS int8[]))
    ON CONFLICT (store, id) DO NOTHING
    RETURNING store, id, name, tag
  ),
  counted AS (
    INSERT INTO event_counts AS counts (store, last) SELECT store, count(*) FROM written GROUP BY store ORDER BY store
    ON CONFLICT (store) DO UPDATE SET last = counts.last + excluded.last
    RETURNING store, last
  ),
  noted AS (
    INSERT INTO events (store, number, at, kind, id, name, tag)
    SELECT store, last + 1 - row_number() OVER (PARTITION BY store ORDER BY id DESC),
      CAST(extract(epoch FROM clock_timestamp()) * 1000 AS int8), 'created', id, name, tag
    FROM written JOIN counted USING (store)
  )
  SELECT store, id FROM written`;

/** Locks the row before it is read, so that the update replaces exactly these values. */
const REPLACE = `
  WITH previous AS (
    SELECT name, tag FROM plants WHERE store = $1 AND id = $2 FOR UPDATE
  ),
  written AS (
    UPDATE plants SET name = $5, tag = $6, tag_digest = $7, version = version + 1
    FROM previous
    WHERE plants.store = $1 AND plants.id = $2
      AND (CAST($3 AS int8[]) IS NULL OR version = ANY(CAST($3 AS int8[])))
      AND (CAST($4 AS int8[]) IS NULL OR version <> ALL(CAST($4 AS int8[])))
    RETURNING version, store, id, plants.name, plants.tag, previous.name AS previous_name, previous.tag AS previous_tag
  ),
  counted AS (
    INSERT INTO event_counts AS counts (store, last) SELECT store, 1 FROM written
    ON CONFLICT (store) DO UPDATE SET last = counts.last + excluded.last
    RETURNING store, last
  ),
  noted AS (
    INSERT INTO events (store, number, at, kind, id, name, tag, previous_name, previous_tag)
    SELECT store, last, CAST(extract(epoch FROM clock_timestamp()) * 1000 AS int8), 'replaced',
      id, name, tag, previous_name, previous_tag
    FROM written JOIN counted USING (store)
  )
  SELECT version FROM written`;

const DELETE = `
  WITH written AS (
    DELETE FROM plants
    WHERE plants.store = $1 AND plants.id = $2
      AND (CAST($3 AS int8[]) IS NULL OR version = ANY(CAST($3 AS int8[])))
      AND (CAST($4 AS int8[]) IS NULL OR version <> ALL(CAST($4 AS int8[])))
    RETURNING version, store, id, name, tag
  ),
  counted AS (
    INSERT INTO event_counts AS counts (store, last) SELECT store, 1 FROM written
    ON CONFLICT (store) DO UPDATE SET last = counts.last + excluded.last
    RETURNING store, last
  ),
  noted AS (
    INSERT INTO events (store, number, at, kind, id, previous_name, previous_tag)
    SELECT store, last, CAST(extract(epoch FROM clock_timestamp()) * 1000 AS int8), 'deleted', id, name, tag
    FROM written JOIN counted USING (store)
  )
  SELECT version FROM written`;

export const eventWrites: Writes = {
  insert: (query, rows) => query(INSERT, columnsOf(rows)),
  replace: (query, values) => query(REPLACE, values),
  delete: (query, values) => query(DELETE, values),
};
