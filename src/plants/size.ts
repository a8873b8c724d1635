/** The disk space that plants take, for the budgets of sandboxes. */
import type { Plant } from './plant.ts';

/** Bytes of a row besides its texts: keys, version, and a share of the empty space in pages. */
const ROW = 200;
/** SQLite moves most of a longer row to separate pages. */
const LONGEST_IN_PAGE = 900;
/** The most bytes that stay empty in the last of these pages. */
const PAGE = 4_096;

/** The most bytes that a plant takes in a database file. `SIZE_SQL` computes the same. */
export function plantSize({ name, tag }: Plant): number {
  const tagged = tag === undefined ? 0 : Buffer.byteLength(tag);
  const whole = ROW + entrySize(Buffer.byteLength(name) + tagged);
  // The index by tag holds the tag once more.
  return tag === undefined ? whole : whole + entrySize(tagged);
}

function entrySize(bytes: number): number {
  return bytes > LONGEST_IN_PAGE ? bytes + PAGE : Math.ceil(bytes * 1.5);
}

const entrySql = (bytes: string) =>
  `CASE WHEN ${bytes} > ${LONGEST_IN_PAGE} THEN ${bytes} + ${PAGE} ELSE (${bytes} * 3 + 1) / 2 END`;

/** The size of a row of `plants`, as SQL that both engines understand. SQLite reads only the head of the row for it. */
export const SIZE_SQL = `${ROW} + ${entrySql('(octet_length(name) + coalesce(octet_length(tag), 0))')}
  + CASE WHEN tag IS NULL THEN 0 ELSE ${entrySql('octet_length(tag)')} END`;
