/**
 * Creates plants of a store with a quota by one statement, if all of them fit. On Citus each part must be a statement
 * of its own.
 */
import type { Created } from '../../plants/plant-store.ts';
import { plantSize } from '../plant-size.ts';
import type { Query } from './session.ts';
import { columnsOf, createAll, type PlantRow } from './writes.ts';

/**
 * Locks the quota before it inserts. $1: the store, $2 to $6: the plants, $7: their sizes, $8: the sum of the sizes,
 * $9: whether to write events. Returns whether the plants fit, and the ids that were inserted.
 */
const INSERT_FITTING = `
  WITH quota AS MATERIALIZED (
    SELECT plants + cardinality(CAST($2 AS int8[])) <= most_plants AND bytes + CAST($8 AS int8) <= most_bytes AS fits,
      most_events
    FROM quotas WHERE store = $1 FOR UPDATE
  ),
  written AS (
    INSERT INTO plants (store, id, name, tag, tag_digest, version)
    SELECT CAST($1 AS text), new.* FROM quota CROSS JOIN unnest(CAST($2 AS int8[]), CAST($3 AS text[]),
      CAST($4 AS text[]), CAST($5 AS int8[]), CAST($6 AS int8[])) AS new
    WHERE fits
    ON CONFLICT (store, id) DO NOTHING
    RETURNING store, id, name, tag
  ),
  held AS (
    INSERT INTO quotas AS held (store, plants, bytes, most_plants, most_bytes, most_events)
    SELECT store, count(*), sum(size), 0, 0, 0
    FROM written JOIN unnest(CAST($2 AS int8[]), CAST($7 AS int8[])) AS sizes (id, size) USING (id) GROUP BY store
    ON CONFLICT (store) DO UPDATE SET plants = held.plants + excluded.plants, bytes = held.bytes + excluded.bytes
  ),
  counted AS (
    INSERT INTO event_counts AS counts (store, last)
    SELECT store, count(*) FROM written WHERE CAST($9 AS boolean) GROUP BY store
    ON CONFLICT (store) DO UPDATE SET last = counts.last + excluded.last
    RETURNING store, last
  ),
  noted AS (
    INSERT INTO events (store, number, at, kind, id, name, tag)
    SELECT store, last + 1 - row_number() OVER (ORDER BY id DESC),
      CAST(extract(epoch FROM clock_timestamp()) * 1000 AS int8), 'created', id, name, tag
    FROM written JOIN counted USING (store)
  ),
  trimmed AS (
    DELETE FROM events USING counted, quota WHERE events.store = counted.store AND number <= last - most_events
  )
  SELECT fits, ARRAY(SELECT CAST(id AS text) FROM written) FROM quota`;

class NoRoom extends Error {}

/** Resolves to undefined if the plants do not all fit. A part of them may then be stored. */
export async function createAtOnce(
  query: Query,
  rows: readonly PlantRow[],
  withEvents: boolean,
): Promise<readonly Created[] | undefined> {
  const store = rows[0]?.store;
  const insert = async (query: Query, open: readonly PlantRow[]) => {
    const sizes = open.map(plantSize);
    const [, ...contents] = columnsOf(open);
    const sum = sizes.reduce((bytes, size) => bytes + size, 0);
    const [row] = await query(INSERT_FITTING, [store, ...contents, sizes, sum, withEvents]);
    if (row?.[0] !== true) throw new NoRoom();
    return (row[1] as readonly string[]).map((id) => [store, BigInt(id)]);
  };
  try {
    return await createAll(query, rows, { insert });
  } catch (error) {
    if (error instanceof NoRoom) return undefined;
    throw error;
  }
}
