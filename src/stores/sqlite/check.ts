/** Owns what a sound file is: whole for SQLite, and nothing in it that the service would not have stored. */
import { isUtf8 } from 'node:buffer';
import type { DatabaseSync } from 'node:sqlite';
import { MAX_TEXT } from '../../plants/plant.ts';

/** Faults of one kind that are told; a damaged file can have millions. */
const MOST = 20;

interface Rule {
  /** Rows that break the rule, with `what` to tell them by. */
  readonly query: string;
  readonly fault: string;
}

/** instr finds U+0000, where length() stops counting. Only texts beyond ASCII, which are few, are passed to is_utf8. */
const TEXT = (column: string) =>
  `(instr(${column}, char(0)) > 0 OR length(${column}) > ${MAX_TEXT}
    OR ${column} GLOB '*[^ -~]*' AND NOT is_utf8(CAST(${column} AS BLOB)))`;
const PLANT = "'plant ' || id || ' of store ' || store";

const RULES: readonly Rule[] = [
  { query: `SELECT ${PLANT} AS what FROM plants WHERE ${TEXT('name')}`, fault: 'its name is not valid' },
  {
    query: `SELECT ${PLANT} AS what FROM plants WHERE tag IS NOT NULL AND ${TEXT('tag')}`,
    fault: 'its tag is not valid',
  },
  { query: `SELECT ${PLANT} AS what FROM plants WHERE version < 1`, fault: 'its version is not above 0' },
  {
    query: `SELECT ${PLANT} AS what FROM plants WHERE store NOT IN (SELECT number FROM stores)`,
    fault: 'there is no such store',
  },
  {
    query: `SELECT 'token ' || name AS what FROM tokens WHERE length(hash) <> 43 OR scopes = '' OR store = ''`,
    fault: 'it is not a token as the service stores it',
  },
  {
    query: `SELECT 'the cursor key' AS what WHERE NOT EXISTS (SELECT 1 FROM meta WHERE key = 'cursor-key' AND length(value) = 32)`,
    fault: 'it is missing',
  },
  {
    query: `SELECT 'the revision of tokens' AS what WHERE NOT EXISTS (SELECT 1 FROM revisions WHERE of = 'tokens')`,
    fault: 'it is missing',
  },
];

/** What is wrong, a line each; nothing for a sound file. Reads every page, beside writers that go on. */
export function faultsOf(database: DatabaseSync): readonly string[] {
  const rows = ask(database, `PRAGMA integrity_check(${MOST})`);
  const lines = rows.flatMap((row) => String(Object.values(row)[0]).split('\n'));
  const damaged = lines.filter((line) => line !== 'ok' && !line.startsWith('***'));
  // In a damaged file the rules would only tell consequences, or fail.
  if (damaged.length > 0) return damaged;
  database.function('is_utf8', (bytes) => Number(isUtf8(bytes as Uint8Array)));
  return RULES.flatMap(({ query, fault }) =>
    ask(database, `${query} LIMIT ${MOST}`).map((row) => `${row['what'] ?? ''}: ${fault}`),
  );
}

/** A statement that fails is a fault by itself: a damaged schema or page can make any of them fail. */
function ask(database: DatabaseSync, query: string): readonly Readonly<Record<string, unknown>>[] {
  try {
    return database.prepare(query).all();
  } catch (error) {
    return [{ what: error instanceof Error ? error.message : error }];
  }
}
