/** The TokenStore on a server. Tokens are few, rarely written, and never deleted. */
import type { TokenStore } from '../../auth/token.ts';
import { TOKEN_COLUMNS, tokenRecord, tokenRow } from '../token-row.ts';
import type { Client } from './client.ts';

const VALUES = `CAST($1 AS text), CAST($2 AS text), CAST($3 AS text), CAST($4 AS text),
    CAST($5 AS int8), CAST($6 AS int8), CAST($7 AS int8)`;

const INSERT = `INSERT INTO tokens (${TOKEN_COLUMNS}) VALUES (${VALUES})`;
/**
 * Only one of several processes can insert the row `claim`. Otherwise two processes could both find no tokens. The
 * claim itself reads `tokens`: on Citus, an INSERT into a table of the cluster may not read another table.
 */
const INSERT_FIRST = `WITH claim AS (
      INSERT INTO plantstore_meta (key, value) SELECT 'first-token', CAST($1 AS text)
      WHERE NOT EXISTS (SELECT 1 FROM tokens) ON CONFLICT DO NOTHING RETURNING key
    )
    INSERT INTO tokens (${TOKEN_COLUMNS}) SELECT ${VALUES} FROM claim`;
const SELECT = `SELECT ${TOKEN_COLUMNS} FROM tokens ORDER BY created_at, hash`;
const REVOKE = 'UPDATE tokens SET revoked_at = $1 WHERE (name = $2 OR hash = $2) AND revoked_at IS NULL RETURNING hash';
/**
 * New and revoked tokens increase the counts. A failover or a restore can lower them. The times distinguish that state
 * from a later one with the same counts.
 */
const REVISION = `SELECT CAST(count(*) + count(revoked_at)
    + coalesce(max(created_at), 0) + coalesce(max(revoked_at), 0) AS int8) FROM tokens`;

export function postgresTokens(client: Client): TokenStore {
  const list = async () => (await client.read(SELECT)).map(tokenRecord);
  return {
    add: (record) => client.write(async (query) => void (await query(INSERT, tokenRow(record)))),
    async addFirst(record) {
      // Run as a read, so that it is repeated if its result is lost. A second run changes nothing, and the list below
      // shows whether the first run inserted this token.
      await client.read(INSERT_FIRST, tokenRow(record));
      return (await list()).some(({ hash }) => hash === record.hash);
    },
    list,
    revoke: (nameOrHash, at) => client.write(async (query) => (await query(REVOKE, [at, nameOrHash])).length),
    revision: async () => (await client.read(REVISION))[0]?.[0] as bigint,
  };
}
