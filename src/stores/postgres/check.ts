/** Finds rows that the service would not have stored. pg_amcheck checks pages and indexes. */
import { MAX_TEXT } from '../../plants/plant.ts';
import { checkQuotas } from '../check-quotas.ts';
import { COUNTS, checkRules, holdsOf, MAX_REPORTED, plantRule } from '../check-rules.ts';
import type { Checked } from '../engine.ts';
import { connectFirst, type Server } from './database.ts';
import { translate } from './failures.ts';

/** The longest that a statement may take: 6 hours, in milliseconds. It reads a whole table. */
const TIMEOUT_MS = 6 * 3_600_000;

/** The digest of a tag as the service computes it. The functions need PostgreSQL 11. */
const DIGEST = "CAST(CAST('x' || encode(substr(sha256(convert_to(tag, 'UTF8')), 1, 8), 'hex') AS bit(64)) AS int8)";

const RULES = checkRules({
  invalidText: (column) => `length(${column}) > ${MAX_TEXT}`,
  plants: [plantRule(`tag_digest IS DISTINCT FROM ${DIGEST}`, 'its tag digest is wrong')],
  cursorKey: "SELECT 1 FROM plantstore_meta WHERE key = 'cursor-key' AND value ~ '^[A-Za-z0-9+/]{43}=$'",
});

const QUOTAS = `SELECT quotas.store, plants, bytes, octet_length(name), octet_length(tag), count(id)
    FROM quotas LEFT JOIN plants ON plants.store = quotas.store
    WHERE quotas.store > $1 AND quotas.store <= $2
    GROUP BY quotas.store, plants, bytes, octet_length(name), octet_length(tag)`;

export async function check(server: Server): Promise<Checked> {
  const session = await connectFirst(server, TIMEOUT_MS);
  try {
    const problems: string[] = [];
    for (const { query, broken } of RULES) {
      const rows = await session.ask(`${query} LIMIT ${MAX_REPORTED}`);
      problems.push(...rows.map(([what]) => `${what}: ${broken}`));
    }
    problems.push(...(await checkQuotas((sql, values) => session.ask(sql, values), QUOTAS)));
    if (problems.length > 0) return { problems };
    const [counts = []] = await session.ask(COUNTS);
    return { problems, holds: holdsOf(counts) };
  } catch (error) {
    throw translate(error);
  } finally {
    await session.end();
  }
}
