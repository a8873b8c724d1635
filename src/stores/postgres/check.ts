/** Owns what can be told of rows: nothing is among them that the service would not have stored. Pages are the server's. */
import { MAX_TEXT } from '../../plants/plant.ts';
import type { Connection } from './connection.ts';

/** Faults of one kind that are told; a table can hold millions. */
const MOST = 20;

interface Rule {
  /** Rows that break the rule, each as the text to tell it by. */
  readonly query: string;
  readonly fault: string;
}

const PLANT = "'plant ' || id || ' of store ' || store";
/** As the service computes it: the first 64 bits of the tag's SHA-256 (functions of PostgreSQL 11 and newer). */
const DIGEST = "CAST(CAST('x' || encode(substr(sha256(convert_to(tag, 'UTF8')), 1, 8), 'hex') AS bit(64)) AS int8)";

const RULES: readonly Rule[] = [
  { query: `SELECT ${PLANT} FROM plants WHERE length(name) > ${MAX_TEXT}`, fault: 'its name is not valid' },
  { query: `SELECT ${PLANT} FROM plants WHERE length(tag) > ${MAX_TEXT}`, fault: 'its tag is not valid' },
  { query: `SELECT ${PLANT} FROM plants WHERE version < 1`, fault: 'its version is not above 0' },
  {
    query: `SELECT ${PLANT} FROM plants WHERE tag_digest IS DISTINCT FROM ${DIGEST}`,
    fault: 'it is not found by its tag',
  },
  {
    query: "SELECT 'token ' || name FROM tokens WHERE length(hash) <> 43 OR scopes = '' OR store = ''",
    fault: 'it is not a token as the service stores it',
  },
  {
    query: `SELECT 'the cursor key' WHERE NOT EXISTS (
      SELECT 1 FROM plantstore_meta WHERE key = 'cursor-key' AND value ~ '^[A-Za-z0-9+/]{43}=$')`,
    fault: 'it is missing',
  },
];

/** What is wrong, a line each; nothing for sound rows. Reads every row, beside writers that go on. */
export async function faultsOf(connection: Connection, bound: number): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const { query, fault } of RULES) {
    const statement = { name: '', text: `${query} LIMIT ${MOST}` };
    const { rows } = await connection.query(statement, [], performance.now() + bound);
    faults.push(...rows.map(([what]) => `${what}: ${fault}`));
  }
  return faults;
}
