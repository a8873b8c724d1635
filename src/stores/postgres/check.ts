/** Finds rows that the service would never have stored. Pages and indexes are left to pg_amcheck. */
import { MAX_TEXT } from '../../plants/plant.ts';
import { connectFirst, type Server } from './database.ts';
import { translate } from './failures.ts';

/** Faults of one kind that are told; a table can hold millions. */
const MOST = 20;
/** The longest that a statement may take, which reads a whole table: 6 hours, in milliseconds. */
const TIMEOUT_MS = 6 * 3_600_000;

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

/** What is wrong with the rows, a line each. Reads every row, beside writers that go on. */
export async function check(server: Server): Promise<readonly string[]> {
  const session = await connectFirst(server, TIMEOUT_MS);
  try {
    const lines: string[] = [];
    for (const { query, fault } of RULES) {
      const statement = { name: '', text: `${query} LIMIT ${MOST}` };
      const { rows } = await session.ask(statement, [], performance.now() + TIMEOUT_MS);
      lines.push(...rows.map(([what]) => `${what}: ${fault}`));
    }
    return lines;
  } catch (error) {
    throw translate(error);
  } finally {
    await session.end();
  }
}
