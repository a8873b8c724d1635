/** Finds damaged pages of a file, and rows that the service would not have stored. */
import { isUtf8 } from 'node:buffer';
import type { DatabaseSync } from 'node:sqlite';
import { MAX_TEXT } from '../../plants/plant.ts';
import { checkQuotas } from '../check-quotas.ts';
import { COUNTS, checkRules, holdsOf, MAX_REPORTED, plantRule } from '../check-rules.ts';
import type { Checked } from '../engine.ts';
import { statementRunner } from './writes.ts';

const RULES = checkRules({
  // length() stops at U+0000, so instr looks for it. Only the few non-ASCII texts are passed to is_utf8.
  invalidText: (column) =>
    `${column} IS NOT NULL AND (instr(${column}, char(0)) > 0 OR length(${column}) > ${MAX_TEXT}
        OR ${column} GLOB '*[^ -~]*' AND NOT is_utf8(CAST(${column} AS BLOB)))`,
  plants: [plantRule('store NOT IN (SELECT number FROM stores)', 'no such store')],
  cursorKey: "SELECT 1 FROM meta WHERE key = 'cursor-key' AND length(value) = 32",
});

const QUOTAS = `SELECT quotas.store, plants, bytes, octet_length(plants.name), octet_length(tag), count(id)
    FROM quotas LEFT JOIN stores ON stores.name = quotas.store LEFT JOIN plants ON plants.store = stores.number
    WHERE quotas.store > $1 AND quotas.store <= $2
    GROUP BY quotas.store, plants, bytes, octet_length(plants.name), octet_length(tag)`;

export async function checkFile(database: DatabaseSync): Promise<Checked> {
  const damage = findDamage(database);
  const problems = damage.length > 0 ? damage : await checkQuotas(statementRunner(database), QUOTAS);
  if (problems.length > 0) return { problems };
  return { problems, holds: holdsOf(Object.values(database.prepare(COUNTS).get() ?? {})) };
}

/** Returns the problems, one line each. Reads every page. Writers can continue meanwhile. */
export function findDamage(database: DatabaseSync): readonly string[] {
  const lines = select(database, `PRAGMA integrity_check(${MAX_REPORTED})`).flatMap((text) => text.split('\n'));
  const damaged = lines.filter((line) => line !== 'ok' && !line.startsWith('***'));
  // In a damaged file the rules would fail, or report only consequences of the damage.
  if (damaged.length > 0) return damaged;
  database.function('is_utf8', (bytes) => Number(isUtf8(bytes as Uint8Array)));
  return RULES.flatMap(({ query, broken }) =>
    select(database, `${query} LIMIT ${MAX_REPORTED}`).map((what) => `${what}: ${broken}`),
  );
}

/** Returns the first column. Damage can make any statement fail. The error is then the only row. */
function select(database: DatabaseSync, query: string): readonly string[] {
  try {
    return database
      .prepare(query)
      .all()
      .map((row) => String(Object.values(row)[0] ?? ''));
  } catch (error) {
    return [Error.isError(error) ? error.message : String(error)];
  }
}
