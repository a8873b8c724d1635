/** Runs the writes of a batch in one transaction. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { EventKind } from '../../plants/event.ts';
import type { StoredPlant } from '../../plants/plant.ts';
import { type Created, isMet, type Precondition, type SnapshotTerms } from '../../plants/plant-store.ts';
import type { SqlRow, SqlValue } from '../engine.ts';
import { plantSize } from '../plant-size.ts';
import type { Full, QuotaCount } from '../quota-count.ts';
import { createQuotas } from './quotas.ts';
import { createReplaceAll, type PlantSource } from './replace-all.ts';
import { createTransaction } from './transaction.ts';

/** A write is a tuple, which is cheap to copy to the writer's thread: the kind, the store's name and the parameters. */
export type Write =
  | readonly [kind: 'create', store: string, id: bigint, name: string, tag: string | null, version: bigint]
  | readonly [kind: 'createMany', store: string, plants: readonly StoredPlant[], version: bigint]
  | readonly [kind: 'replaceAll', store: string, plants: PlantSource, version: bigint]
  | readonly [kind: 'takeSnapshot', store: string, terms: SnapshotTerms]
  | readonly [kind: 'remove', store: string]
  | readonly [
      kind: 'replace',
      store: string,
      id: bigint,
      name: string,
      tag: string | null,
      condition: Precondition | undefined,
    ]
  | readonly [kind: 'delete', store: string, id: bigint, condition: Precondition | undefined]
  | readonly [kind: 'run', sql: string, values: readonly SqlValue[]];

/** The new version (`replace`), a result for each plant (`createMany`), whether it took a snapshot, or rows (`run`). */
export type Result =
  | Created
  | Full
  | 'deleted'
  | 'absent'
  | 'stale'
  | bigint
  | boolean
  | undefined
  | readonly (Created | Full)[]
  | readonly SqlRow[];

/** Selects the name of the period in which events are on, if they are on. */
export const SELECT_PERIOD = "SELECT CAST(value AS TEXT) FROM meta WHERE key = 'events'";

type Row = readonly [name: string, tag: string | null, version: bigint];
type Content = readonly [name: string | null, tag: string | null];
const NO_CONTENT: Content = [null, null];

/** Prepares the statements. The returned function runs a batch as one transaction, which is durable when it returns. */
export function createBatchWriter(database: DatabaseSync): (batch: readonly Write[]) => Result[] {
  const raise = database.prepare("UPDATE revisions SET revision = revision + 1 WHERE of = 'stores' RETURNING revision");
  const insertStore = database.prepare('INSERT INTO stores VALUES (?, ?)');
  const selectStore = database.prepare('SELECT number FROM stores WHERE name = ?');
  const insert = database.prepare('INSERT INTO plants VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING');
  const select = database.prepare('SELECT name, tag, version FROM plants WHERE store = ? AND id = ?');
  const update = database.prepare('UPDATE plants SET name = ?, tag = ?, version = ? WHERE store = ? AND id = ?');
  const remove = database.prepare('DELETE FROM plants WHERE store = ? AND id = ?');
  const selectPeriod = database.prepare(SELECT_PERIOD);
  const writeEvent = eventWriter(database);
  const quotas = createQuotas(database);
  const { replaceAll, takeSnapshot, removeStore } = createReplaceAll(database);
  const runSql = statementRunner(database);
  const transaction = createTransaction(database);
  select.setReturnArrays(true);
  select.setReadBigInts(true);

  /** Writes the event of a change. Undefined while events are off. Every batch reads this from the file. */
  let note: typeof writeEvent | undefined;
  /** The numbers of the batch's stores. Between two batches, another process may remove a store and make it again. */
  const numbers = new Map<string, number>();
  /** Returns the number of a store. Null, which selects no rows: the store has stored nothing yet, or was removed. */
  const numberOf = (store: string): number | null => {
    const known = numbers.get(store) ?? (selectStore.get(store)?.['number'] as number | undefined);
    if (known === undefined) return null;
    numbers.set(store, known);
    return known;
  };
  const newNumber = (store: string): number => {
    const number = Number(raise.get()?.['revision']);
    insertStore.run(number, store);
    numbers.set(store, number);
    return number;
  };
  const removeAll = (store: string) => {
    // First, so that a late write stores nothing.
    quotas.remove(store);
    removeStore(store);
    numbers.delete(store);
    return undefined;
  };

  const plantAt = (store: number | null, id: bigint) => select.get(store, id) as unknown as Row | undefined;
  const create = (
    store: string,
    [id, name, tag, version]: readonly [bigint, string, string | null, bigint],
    quota: QuotaCount | undefined,
  ): Created | Full => {
    const size = quota === undefined ? 0 : plantSize({ name, tag });
    const full = quota?.add(1, size);
    if (full === undefined) {
      if (insert.run(numberOf(store) ?? newNumber(store), id, name, tag, version).changes === 1) {
        note?.('created', store, id, [name, tag]);
        return 'created';
      }
      quota?.add(-1, -size);
    }
    const there = plantAt(numberOf(store), id);
    if (full !== undefined && there === undefined) return full;
    return there?.[0] === name && there[1] === tag ? 'same' : 'taken';
  };

  const apply = (write: Write): Result => {
    if (write[0] === 'run') return runSql(write[1], write[2]);
    if (write[0] === 'remove') return removeAll(write[1]);
    const store = write[1];
    const quota = quotas.of(store);
    if (write[0] === 'create') {
      const [, , ...plant] = write;
      return create(store, plant, quota);
    }
    if (write[0] === 'createMany') {
      const [, , plants, version] = write;
      return plants.map(({ id, name, tag = null }) => create(store, [id, name, tag, version], quota));
    }
    if (write[0] === 'takeSnapshot') return takeSnapshot(store, write[2], quota);
    if (write[0] === 'replaceAll') {
      const [, , plants, version] = write;
      if (quota === undefined || quota.isGone) return;
      replaceAll({ store, number: numberOf(store) ?? newNumber(store), plants, version }, quota);
      note?.('reset', store, null, NO_CONTENT);
      return;
    }
    const number = numberOf(store);
    const [, , id] = write;
    const condition = write[0] === 'replace' ? write[5] : write[3];
    const there = plantAt(number, id);
    if (there === undefined) return 'absent';
    const [oldName, oldTag, version] = there;
    if (!isMet(condition ?? {}, version)) return 'stale';
    if (write[0] === 'replace') {
      const [, , , name, tag] = write;
      const full = quota?.add(0, plantSize({ name, tag }) - plantSize({ name: oldName, tag: oldTag }));
      if (full !== undefined) return full;
      update.run(name, tag, version + 1n, number, id);
      note?.('replaced', store, id, [name, tag], [oldName, oldTag]);
      return version + 1n;
    }
    quota?.add(-1, -plantSize({ name: oldName, tag: oldTag }));
    remove.run(number, id);
    note?.('deleted', store, id, NO_CONTENT, [oldName, oldTag]);
    return 'deleted';
  };

  return (batch) => {
    quotas.forget();
    numbers.clear();
    return transaction(() => {
      note = selectPeriod.get() === undefined ? undefined : writeEvent;
      const results = batch.map(apply);
      quotas.save(note !== undefined);
      return results;
    });
  };
}

/** For one change: counts it and writes its event. `id`: null if the change is of all plants. */
function eventWriter(database: DatabaseSync) {
  const count = database.prepare(
    `INSERT INTO event_counts (store, last) VALUES (?, 1)
     ON CONFLICT (store) DO UPDATE SET last = last + 1`,
  );
  const insert = database.prepare(
    `INSERT INTO events (store, number, at, kind, id, name, tag, previous_name, previous_tag)
     SELECT store, last, CAST(unixepoch('subsec') * 1000 AS INTEGER), ?2, ?3, ?4, ?5, ?6, ?7
     FROM event_counts WHERE store = ?1`,
  );
  return (kind: EventKind, store: string, id: bigint | null, now: Content, previous: Content = NO_CONTENT) => {
    count.run(store);
    insert.run(store, kind, id, ...now, ...previous);
  };
}

/** Runs SQL with the parameters $1, $2 and so on, which SQLite takes for names. Reads integers as bigint. */
export function statementRunner(database: DatabaseSync): (sql: string, values: readonly SqlValue[]) => SqlRow[] {
  const prepared = new Map<string, StatementSync>();
  /** Prepares each text once. */
  const prepare = (sql: string) => {
    const statement = database.prepare(sql);
    statement.setReadBigInts(true);
    statement.setReturnArrays(true);
    prepared.set(sql, statement);
    return statement;
  };
  return (sql, values) => {
    const named = Object.fromEntries(values.map((value, i) => [`$${i + 1}`, value]));
    return (prepared.get(sql) ?? prepare(sql)).all(named) as unknown as SqlRow[];
  };
}
