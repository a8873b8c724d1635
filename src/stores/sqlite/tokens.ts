/** The TokenStore on a file. Tokens are few and rarely change, so they are written one by one, on this thread. */
import type { DatabaseSync } from 'node:sqlite';
import type { TokenRecord, TokenStore } from '../../auth/token.ts';
import { TOKEN_COLUMNS, tokenRecord, tokenRow } from '../token-row.ts';
import { translating } from './failures.ts';
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
  /** Work returns how many tokens it changed. With none the file is left as it is: nothing to sync, or to read anew. */
  const change = (work: () => number): Promise<number> =>
    translating(() =>
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
      // Nearly every start finds one, and then waits for no other process's write.
      if (!(await translating(isEmpty))) return false;
      return (await change(() => (isEmpty() ? store(record) : 0))) > 0;
    },
    list: () => translating(() => select.all().map((row) => tokenRecord(row as unknown as readonly unknown[]))),
    revoke: (nameOrHash, at) => change(() => Number(update.run(at, nameOrHash, nameOrHash).changes)),
    revision: () => translating(() => selectRevision.get()?.['revision'] as bigint),
  };
}
