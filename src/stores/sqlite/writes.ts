/** The writes of a batch, and how they are carried out in one transaction. */
import type { DatabaseSync } from 'node:sqlite';
import type { StoredPlant } from '../../plants/plant.ts';
import type { Created, Precondition } from '../../plants/plant-store.ts';
import { createTransaction } from './transaction.ts';

/** Writes as tuples, since each crosses to the writer's thread: the kind, the store's name, the id, and what it needs. */
export type Write =
  | readonly [kind: 'create', store: string, id: bigint, name: string, tag: string | null, version: bigint]
  | readonly [kind: 'replace', store: string, id: bigint, name: string, tag: string | null, expected: Precondition]
  | readonly [kind: 'delete', store: string, id: bigint, expected: Precondition]
  | readonly [kind: 'createMany', store: string, plants: readonly StoredPlant[], version: bigint];

/** Of a replaced plant its new version, of many plants each one's result. */
export type Result = Created | 'deleted' | 'absent' | 'stale' | bigint | readonly Created[];

/** Prepares the number that a store has in the file, which it gets when it is first written to. */
export function prepareStoreNumber(database: DatabaseSync): (store: string) => number {
  const insert = database.prepare('INSERT INTO stores (name) VALUES (?) ON CONFLICT DO NOTHING');
  const select = database.prepare('SELECT number FROM stores WHERE name = ?');
  return (store) => {
    insert.run(store);
    return Number(select.get(store)?.['number']);
  };
}

/** Prepares the creation of one plant; `store` is its store's number. */
export function prepareCreate(
  database: DatabaseSync,
): (store: number, id: bigint, name: string, tag: string | null, version: bigint) => Created {
  const insert = database.prepare('INSERT INTO plants VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING');
  const select = database.prepare('SELECT name, tag FROM plants WHERE store = ? AND id = ?');
  select.setReturnArrays(true);
  return (store, id, name, tag, version) => {
    if (insert.run(store, id, name, tag, version).changes === 1) return 'created';
    const there = select.get(store, id) as readonly [name: string, tag: string | null] | undefined;
    return there?.[0] === name && there[1] === tag ? 'same' : 'taken';
  };
}

/** Prepares the statements on a connection; the result runs a batch as one transaction, durable when it returns. */
export function createWriter(database: DatabaseSync): (batch: readonly Write[]) => Result[] {
  const storeNumber = prepareStoreNumber(database);
  const create = prepareCreate(database);
  const selectVersion = database.prepare('SELECT version FROM plants WHERE store = ? AND id = ?');
  const update = database.prepare('UPDATE plants SET name = ?, tag = ?, version = ? WHERE store = ? AND id = ?');
  const remove = database.prepare('DELETE FROM plants WHERE store = ? AND id = ?');
  const transaction = createTransaction(database);
  selectVersion.setReadBigInts(true);

  const numbers = new Map<string, number>();
  const numberOf = (store: string): number => {
    const known = numbers.get(store);
    if (known !== undefined) return known;
    const number = storeNumber(store);
    numbers.set(store, number);
    return number;
  };

  const versionAt = (store: number, id: bigint, expected: Precondition): bigint | 'absent' | 'stale' => {
    const version = selectVersion.get(store, id)?.['version'] as bigint | undefined;
    if (version === undefined) return 'absent';
    return expected === undefined || expected.includes(version) ? version : 'stale';
  };

  const apply = (write: Write): Result => {
    const store = numberOf(write[1]);
    if (write[0] === 'create') {
      const [, , id, name, tag, version] = write;
      return create(store, id, name, tag, version);
    }
    if (write[0] === 'createMany') {
      const [, , plants, version] = write;
      return plants.map(({ id, name, tag }) => create(store, id, name, tag ?? null, version));
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
