/** The TokenStore on a file. Tokens rarely change, so this thread writes each in its own transaction. */
import type { DatabaseSync } from 'node:sqlite';
import type { TokenRecord, TokenStore } from '../../auth/token.ts';
import { TOKEN_COLUMNS, tokenRecord, tokenRow } from '../token-row.ts';
import { translateErrors } from './failures.ts';
import { createTransaction } from './transaction.ts';

export function sqliteTokens(database: DatabaseSync): TokenStore {
  const insert = database.prepare(`INSERT INTO tokens (${TOKEN_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)`);
  const count = database.prepare('SELECT count(*) AS count FROM tokens');
  const select = database.prepare(`SELECT ${TOKEN_COLUMNS} FROM tokens ORDER BY created_at, hash`);
  const update = database.prepare(
    'UPDATE tokens SET revoked_at = ? WHERE (name = ? OR hash = ?) AND revoked_at IS NULL',
  );
  const selectRevision = database.prepare("SELECT revision FROM revisions WHERE of = 'tokens'");
  const bump = database.prepare("UPDATE revisions SET revision = revision + 1 WHERE of = 'tokens'");
  selectRevision.setReadBigInts(true);
  select.setReturnArrays(true);

  const transaction = createTransaction(database);
  /** Runs work that returns the number of changed tokens. If it is 0, nothing is synced or reloaded. */
  const change = (work: () => number): Promise<number> =>
    translateErrors(() =>
      transaction(() => {
        const changed = work();
        if (changed > 0) bump.run();
        return changed;
      }),
    );
  const store = (record: TokenRecord): number => Number(insert.run(...tokenRow(record)).changes);
  const isEmpty = () => Number(count.get()?.['count']) === 0;

  return {
    async add(record) {
      await change(() => store(record));
    },
    async addFirst(record) {
      // Almost every start finds a token, and then need not wait for other processes' writes.
      if (!(await translateErrors(isEmpty))) return false;
      return (await change(() => (isEmpty() ? store(record) : 0))) > 0;
    },
    list: () => translateErrors(() => select.all().map((row) => tokenRecord(row as unknown as readonly unknown[]))),
    revoke: (nameOrHash, at) => change(() => Number(update.run(at, nameOrHash, nameOrHash).changes)),
    revision: () => translateErrors(() => selectRevision.get()?.['revision'] as bigint),
  };
}
