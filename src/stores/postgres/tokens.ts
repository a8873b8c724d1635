/** The TokenStore on a server. Tokens are few, rarely written, and never deleted. */
import type { TokenStore } from '../../auth/token.ts';
import { TOKEN_COLUMNS, tokenRecord, tokenRow } from '../token-row.ts';
import type { Client } from './client.ts';

const VALUES =
  'CAST($1 AS text), CAST($2 AS text), CAST($3 AS text), CAST($4 AS text), CAST($5 AS int8), CAST($6 AS int8), CAST($7 AS int8)';

const INSERT = `INSERT INTO tokens (${TOKEN_COLUMNS}) VALUES (${VALUES})`;
/**
 * The claim is the row that only one of several processes can insert; without it, two would find the table empty. It looks
 * at the tokens itself: on Citus a statement that inserts into a table of a cluster may not read another beside it.
 */
const INSERT_FIRST = `WITH claim AS (
      INSERT INTO plantstore_meta (key, value) SELECT 'first-token', CAST($1 AS text) WHERE NOT EXISTS (SELECT 1 FROM tokens)
      ON CONFLICT DO NOTHING RETURNING key
    )
    INSERT INTO tokens (${TOKEN_COLUMNS}) SELECT ${VALUES} FROM claim`;
const SELECT = `SELECT ${TOKEN_COLUMNS} FROM tokens ORDER BY created_at, hash`;
const REVOKE = 'UPDATE tokens SET revoked_at = $1 WHERE (name = $2 OR hash = $2) AND revoked_at IS NULL RETURNING hash';
/**
 * Adding a token raises the first count, revoking one the second. Only a failover or a restore, which takes tokens back,
 * lowers them; the times tell that state from one in which as many tokens were added or revoked again.
 */
const REVISION = `SELECT CAST(count(*) + count(revoked_at) + coalesce(max(created_at), 0) + coalesce(max(revoked_at), 0) AS int8)
    FROM tokens`;

export function postgresTokens(client: Client): TokenStore {
  const list = async () => (await client.read(SELECT)).map(tokenRecord);
  return {
    add: (record) => client.write(async (query) => void (await query(INSERT, tokenRow(record)))),
    async addFirst(record) {
      // Run as a read, so that it is repeated when its result is lost: a second run changes nothing, and the list below
      // shows whether the first one had inserted this token.
      await client.read(INSERT_FIRST, tokenRow(record));
      return (await list()).some(({ hash }) => hash === record.hash);
    },
    list,
    revoke: (nameOrHash, at) => client.write(async (query) => (await query(REVOKE, [at, nameOrHash])).length),
    revision: async () => (await client.read(REVISION))[0]?.[0] as bigint,
  };
}
