import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { StoreFailure } from '../../../src/errors.ts';
import { PlantColumnsBuilder } from '../../../src/plants/plant-columns.ts';
import { openBulkWriter } from '../../../src/stores/sqlite/bulk-writer.ts';
import { openConnection, prepareFile } from '../../../src/stores/sqlite/database.ts';
import { keyOrder } from '../../../src/stores/sqlite/key-order.ts';
import { createTransaction } from '../../../src/stores/sqlite/transaction.ts';
import { createDirectory } from '../../harness/directory.ts';

const PLANTS = 40_000;

test('beside another writer an import commits in small steps, and its mark with the last of them', async () => {
  using directory = createDirectory();
  const path = directory.at('plants.db');
  prepareFile(path);
  const writer = openBulkWriter(path, 'default');
  assert.equal(await writer.mark('k'), undefined);
  const other = openConnection(path);
  other.exec("UPDATE revisions SET revision = revision + 1 WHERE of = 'tokens'");
  const look = other.prepare(
    `SELECT (SELECT count(*) FROM plants) AS plants, (SELECT count(*) FROM meta WHERE key LIKE 'import:%') AS marks`,
  );
  const builder = new PlantColumnsBuilder(PLANTS, 10 * PLANTS);
  for (let id = 0; id < PLANTS; id++) builder.add(BigInt(id), 'Aloe', undefined);
  let written = false;
  const outcome = writer.write(builder.take(), { key: 'k', state: 'all' }).finally(() => {
    written = true;
  });
  const steps = new Map<number, number>();
  while (!written) {
    const { plants, marks } = look.get() as { plants: number; marks: number };
    steps.set(plants, marks);
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.deepEqual(await outcome, { stored: PLANTS, taken: [] });
  assert.equal(await writer.mark('k'), 'all');
  await writer.write(builder.take(), { key: 'k', state: 'more' });
  assert.equal(await writer.mark('k'), 'more');
  await writer.close();
  other.close();
  const between = [...steps].filter(([plants]) => plants > 0 && plants < PLANTS);
  assert.ok(between.length > 0, 'all at once');
  for (const [plants, marks] of between) assert.equal(marks, 0, `a mark that leads past all, at ${plants} plants`);
});

test('a plant that an import names again, and that is deleted meanwhile, comes back with another version', async () => {
  using directory = createDirectory();
  const path = directory.at('plants.db');
  prepareFile(path);
  const writer = openBulkWriter(path, 'default');
  await writer.mark('k');
  const other = openConnection(path);
  other.exec("UPDATE revisions SET revision = revision + 1 WHERE of = 'tokens'");
  const transaction = createTransaction(other);
  const remove = other.prepare('DELETE FROM plants RETURNING version');
  const builder = new PlantColumnsBuilder(PLANTS, 10 * PLANTS);
  for (let i = 0; i < PLANTS; i++) builder.add(1n, `Aloe ${i}`, undefined);
  let written = false;
  const outcome = writer.write(builder.take(), undefined).finally(() => {
    written = true;
  });
  const versions: unknown[] = [];
  while (!written) {
    versions.push(...transaction(() => remove.all()).map(({ version }) => version));
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { stored } = await outcome;
  await writer.close();
  other.close();
  assert.ok(stored > 1, 'not deleted in time');
  assert.equal(new Set(versions).size, versions.length);
});

test('of several plants of one id the first is stored, in whatever order the ids come', async () => {
  using directory = createDirectory();
  const path = directory.at('plants.db');
  prepareFile(path);
  const writer = openBulkWriter(path, 'default');
  const builder = new PlantColumnsBuilder(5, 50);
  builder.add(5n, 'Aloe', undefined);
  builder.add(-1n, 'Fern', undefined);
  builder.add(5n, 'Agave', undefined);
  builder.add(-1n, 'Fern', undefined);
  builder.add(-1n, 'Moss', undefined);
  assert.deepEqual(await writer.write(builder.take(), undefined), { stored: 2, taken: [2, 4] });
  await writer.close();
});

test('errors of SQLite in the thread are reported by what they mean', async () => {
  using directory = createDirectory();
  const path = directory.at('plants.db');
  prepareFile(path);
  const other = openConnection(path);
  // A plant whose store is not there is what a damaged page leaves.
  other.exec('CREATE TRIGGER damage AFTER INSERT ON plants BEGIN DELETE FROM stores; END');
  other.close();
  const writer = openBulkWriter(path, 'default');
  const builder = new PlantColumnsBuilder(1, 10);
  builder.add(1n, 'Aloe', undefined);
  const told = await writer.write(builder.take(), undefined).catch((error) => error);
  await writer.close();
  assert.ok(told instanceof StoreFailure, String(told));
  assert.match(told.message, /^the store is damaged/);
});

test('ids are put in key order, equal ones as they came', () => {
  const ids = fc.array(fc.oneof(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.bigInt(-3n, 3n)));
  const property = fc.property(ids, (all) => {
    // As a part of something larger, too.
    const columns = BigInt64Array.from([7n, ...all]).subarray(1);
    const at = (i: number) => columns[i] as bigint;
    const expected = all.map((_, i) => i).sort((a, b) => (at(a) < at(b) ? -1 : Number(at(a) > at(b))));
    assert.deepEqual([...keyOrder(columns)], expected);
  });
  fc.assert(property);
});
