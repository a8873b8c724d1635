/** Tests the quotas that both engines keep in the transactions of writes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import pg from 'pg';
import { QuotaExceeded } from '../../src/plants/plant-store.ts';
import type { EngineOptions } from '../../src/stores/engine.ts';
import { openEngine } from '../../src/stores/open.ts';
import { plantSize } from '../../src/stores/plant-size.ts';
import { BOTH, createDatabase } from '../harness/database.ts';
import { createSchema, sharedPostgres } from '../harness/postgres.ts';

const OPTIONS: EngineOptions = {
  queueLimit: 1_000,
  random: Math.random,
  onFatal: (cause) => assert.fail(String(cause)),
};

async function open(url: string) {
  const engine = await openEngine(url, { ...OPTIONS, connections: 8, timeout: 10_000 });
  const limit = (store: string, plants: number, bytes: number) =>
    engine.statements.write('INSERT INTO quotas VALUES ($1, 0, 0, $2, $3, 500)', [store, plants, bytes]);
  const held = async (store: string) =>
    (await engine.statements.read('SELECT plants, bytes FROM quotas WHERE store = $1', [store]))[0]?.map(Number);
  return { ...engine, limit, held, [Symbol.asyncDispose]: () => engine.close() };
}

for (const [name, kind] of Object.entries(BOTH)) {
  test(`a store on ${name} holds what its quota counts, and never more than it may`, async () => {
    await using data = await createDatabase(kind);
    await using engine = await open(data.url);
    const { plants } = engine;
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.integer({ min: 590, max: 610 }).map((length) => 'n'.repeat(length)),
      fc.integer({ min: 890, max: 1_024 }).map((length) => 'é'.repeat(length)),
    );
    const valid = text.filter((one) => !one.includes('\0') && one.isWellFormed());
    const write = fc.record({
      kind: fc.constantFrom('create', 'create', 'replace', 'delete'),
      id: fc.bigInt({ min: 1n, max: 9n }),
      name: valid,
      tag: fc.option(valid, { nil: undefined }),
    });
    let stores = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(write, { maxLength: 12 }), async (writes) => {
        const store = `~${stores++}`;
        await engine.limit(store, 4, 12_000);
        const results = await Promise.allSettled(
          writes.map(async ({ kind, id, name, tag }): Promise<unknown> => {
            if (kind === 'delete') return plants.delete(store, id);
            const plant = { id, name, ...(tag !== undefined && { tag }) };
            return kind === 'create' ? plants.create(store, plant) : plants.replace(store, plant);
          }),
        );
        for (const one of results) assert.ok(one.status === 'fulfilled' || one.reason instanceof QuotaExceeded);
        const found = await plants.list(store, { limit: 20 });
        const bytes = found.reduce((sum, one) => sum + plantSize(one), 0);
        assert.deepEqual(await engine.held(store), [found.length, bytes]);
        assert.ok(found.length <= 4 && bytes <= 12_000);
      }),
      { numRuns: 20 },
    );
    assert.deepEqual((await engine.check()).problems, []);
    await engine.statements.write("UPDATE quotas SET bytes = bytes + 1 WHERE store = '~0'", []);
    const { problems } = await engine.check();
    assert.equal(problems.length, 1);
    assert.match(problems[0] ?? '', /quota of store ~0: it counts \d+ plants of \d+ bytes, but the store has/);
  });

  test(`a batch on ${name} that does not fit is decided plant by plant`, async () => {
    await using data = await createDatabase(kind);
    await using engine = await open(data.url);
    const { plants } = engine;
    await engine.limit('~one', 3, 12_000);
    await plants.create('~one', { id: 1n, name: 'Aloe' });
    const create = (id: bigint, name: string) =>
      plants.create('~one', { id, name }).catch((error: QuotaExceeded) => `${error.limited} ${error.most}`);
    const results = await Promise.all([
      create(1n, 'Aloe'),
      create(1n, 'Fern'),
      create(2n, 'é'.repeat(5_000)),
      create(2n, 'Moss'),
      create(2n, 'Moss'),
      create(3n, 'Oak'),
      create(4n, 'Elm'),
      create(3n, 'Elm'),
    ]);
    const expected = ['same', 'taken', 'bytes 12000', 'created', 'same', 'created', 'plants 3', 'taken'];
    assert.deepEqual(results, expected);
    // A store without a row is gone, so nothing fits.
    await assert.rejects(plants.create('~gone', { id: 1n, name: 'Aloe' }), QuotaExceeded);
    assert.deepEqual(await plants.list('~gone', { limit: 1 }), []);
  });
}

test('a locked store delays no write to another store on PostgreSQL', async () => {
  await using data = await createSchema(sharedPostgres());
  await using engine = await open(data.url);
  const { plants, limit } = engine;
  for (const store of ['~locked', '~free']) await limit(store, 100, 100_000);
  const session = new pg.Client({ connectionString: data.url });
  await session.connect();
  await session.query("BEGIN; SELECT 1 FROM quotas WHERE store = '~locked' FOR UPDATE");
  let isLocked = true;
  const late = Array.from({ length: 50 }, async (_, i) => {
    await plants.create('~locked', { id: BigInt(i), name: 'Aloe' });
    assert.equal(isLocked, false);
  });
  late.push(plants.delete('~locked', 1_000n).then(() => assert.equal(isLocked, false)));
  for (const store of ['~free', 'default']) {
    const made = Array.from({ length: 50 }, (_, i) => plants.create(store, { id: BigInt(i), name: 'Aloe' }));
    assert.deepEqual(new Set(await Promise.all(made)), new Set(['created']));
    assert.equal(await plants.delete(store, 1n), 'deleted');
  }
  isLocked = false;
  await session.query('COMMIT');
  await session.end();
  await Promise.all(late);
});
