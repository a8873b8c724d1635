/** Finds rows that the service would not have stored. Pages and indexes are left to pg_amcheck. */
import { MAX_TEXT } from '../../plants/plant.ts';
import { COUNTS, checkRules, holdsOf, MOST_REPORTED, plantRule } from '../check-rules.ts';
import type { Checked } from '../engine.ts';
import { connectFirst, type Server } from './database.ts';
import { translate } from './failures.ts';

/** The longest that a statement may take, which reads a whole table: 6 hours, in milliseconds. */
const TIMEOUT_MS = 6 * 3_600_000;

/** As the service computes it: the first 64 bits of the tag's SHA-256 (functions of PostgreSQL 11 and newer). */
const DIGEST = "CAST(CAST('x' || encode(substr(sha256(convert_to(tag, 'UTF8')), 1, 8), 'hex') AS bit(64)) AS int8)";

const RULES = checkRules({
  invalidText: (column) => `length(${column}) > ${MAX_TEXT}`,
  plants: [plantRule(`tag_digest IS DISTINCT FROM ${DIGEST}`, 'it is not found by its tag')],
  cursorKey: "SELECT 1 FROM plantstore_meta WHERE key = 'cursor-key' AND value ~ '^[A-Za-z0-9+/]{43}=$'",
});

/** What is wrong with the rows, a line each. Reads every row, beside writers that go on. */
export async function check(server: Server): Promise<Checked> {
  const session = await connectFirst(server, TIMEOUT_MS);
  try {
    const problems: string[] = [];
    for (const { query, broken } of RULES) {
      const rows = await session.ask(`${query} LIMIT ${MOST_REPORTED}`);
      problems.push(...rows.map(([what]) => `${what}: ${broken}`));
    }
    if (problems.length > 0) return { problems };
    const [counts = []] = await session.ask(COUNTS);
    return { problems, holds: holdsOf(counts) };
  } catch (error) {
    throw translate(error);
  } finally {
    await session.end();
  }
}
