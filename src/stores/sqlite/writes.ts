/** Owns the write statements: what one write does within the batch's transaction. */
import type { DatabaseSync } from 'node:sqlite';
import { createTransaction } from './database.ts';

/** Writes as tuples, since each crosses to the writer's thread: the kind, the store's name, the id, and what it needs. */
export type Write =
  | readonly [kind: 'create', store: string, id: bigint, name: string, tag: string | null, version: bigint]
  | readonly [kind: 'replace', store: string, id: bigint, name: string, tag: string | null, expected: Expected]
  | readonly [kind: 'delete', store: string, id: bigint, expected: Expected];

type Expected = readonly bigint[] | undefined;
type Found = readonly [name: string, tag: string | null, version: bigint];

/** A replaced plant is told by its new version. */
export type Outcome = 'created' | 'same' | 'taken' | 'deleted' | 'absent' | 'stale' | bigint;

/** Prepares the statements on a connection; the result runs a batch as one transaction, durable when it returns. */
export function createWriter(database: DatabaseSync): (batch: readonly Write[]) => Outcome[] {
  const insertStore = database.prepare('INSERT INTO stores (name) VALUES (?) ON CONFLICT DO NOTHING');
  const selectStore = database.prepare('SELECT number FROM stores WHERE name = ?');
  const insert = database.prepare('INSERT INTO plants VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING');
  const select = database.prepare('SELECT name, tag, version FROM plants WHERE store = ? AND id = ?');
  const update = database.prepare('UPDATE plants SET name = ?, tag = ?, version = ? WHERE store = ? AND id = ?');
  const remove = database.prepare('DELETE FROM plants WHERE store = ? AND id = ?');
  const transaction = createTransaction(database);
  select.setReadBigInts(true);
  select.setReturnArrays(true);
  const find = (store: number, id: bigint) => select.get(store, id) as Found | undefined;

  const numbers = new Map<string, number>();
  const numberOf = (store: string): number => {
    const known = numbers.get(store);
    if (known !== undefined) return known;
    insertStore.run(store);
    const number = Number(selectStore.get(store)?.['number']);
    numbers.set(store, number);
    return number;
  };

  const versionAt = (store: number, id: bigint, expected: Expected): bigint | 'absent' | 'stale' => {
    const version = find(store, id)?.[2];
    if (version === undefined) return 'absent';
    return expected === undefined || expected.includes(version) ? version : 'stale';
  };

  const apply = (write: Write): Outcome => {
    const store = numberOf(write[1]);
    if (write[0] === 'create') {
      const [, , id, name, tag, version] = write;
      if (insert.run(store, id, name, tag, version).changes === 1) return 'created';
      const there = find(store, id);
      return there?.[0] === name && there[1] === tag ? 'same' : 'taken';
    }
    if (write[0] === 'replace') {
      const [, , id, name, tag, expected] = write;
      const version = versionAt(store, id, expected);
      if (typeof version !== 'bigint') return version;
      update.run(name, tag, version + 1n, store, id);
      return version + 1n;
    }
    const [, , id, expected] = write;
    const version = versionAt(store, id, expected);
    if (typeof version !== 'bigint') return version;
    remove.run(store, id);
    return 'deleted';
  };

  return (batch) => {
    try {
      return transaction(() => batch.map(apply));
    } catch (error) {
      // A store that was new in this batch is gone with it.
      numbers.clear();
      throw error;
    }
  };
}
