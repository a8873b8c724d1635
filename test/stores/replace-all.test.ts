/** Replacing all plants of a store, and its snapshots, on both engines. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredPlant } from '../../src/plants/plant.ts';
import { QuotaExceeded } from '../../src/plants/plant-store.ts';
import type { Engine } from '../../src/stores/engine.ts';
import { openEngine } from '../../src/stores/open.ts';
import { BOTH, createDatabase } from '../harness/database.ts';

const ANY = { limit: 100_000 };
const MOST = 2 ** 30;
const STORES = ['~one', '~other', '~empty'];

/** What is easily damaged: ids that no double can hold, the ends of int64, and texts that JSON escapes. */
const SPECIAL: readonly StoredPlant[] = [
  { id: -(2n ** 63n), name: '' },
  { id: -1n, name: '\u0001\b"\\/\u007f\u2028', tag: '' },
  { id: 2n ** 53n + 1n, name: '🌵'.repeat(1_024), tag: '\u{10ffff}' },
  { id: 2n ** 63n - 1n, name: '{"id":1}', tag: 'null' },
];
const numbered = (count: number, name = 'Fern') =>
  Array.from({ length: count }, (_, id): StoredPlant => ({ id: BigInt(id), name: `${name} ${id}` }));

for (const [name, kind] of Object.entries(BOTH)) {
  const open = async (url: string) => {
    const onFatal = (cause: unknown) => assert.fail(String(cause));
    const options = { queueLimit: 20_000, random: Math.random, onFatal, connections: 8, timeout: 20_000 };
    const engine = await openEngine(url, options);
    for (const store of STORES) {
      await engine.statements.write('INSERT INTO quotas VALUES ($1, 0, 0, $2, $3, 500)', [store, 100_000, MOST]);
    }
    return { ...engine, [Symbol.asyncDispose]: () => engine.close() };
  };
  const snapshotsOf = async ({ statements }: Engine, store: string) =>
    (await statements.read('SELECT number, at FROM snapshots WHERE store = $1 ORDER BY number', [store])).map((row) =>
      row.map(Number),
    );

  test(`all plants of a store on ${name} are replaced by others, and those of another store stay`, async () => {
    await using data = await createDatabase(kind);
    await using engine = await open(data.url);
    const { plants } = engine;
    await plants.createMany('~one', numbered(1_500));
    await plants.createMany('~other', numbered(3));
    const before = await plants.get('~one', 7n);
    await plants.replaceAll('~one', SPECIAL);
    assert.deepEqual(await plants.list('~one', ANY), SPECIAL);
    for (const { id, tag } of SPECIAL) {
      if (tag !== undefined) assert.equal((await plants.list('~one', { ...ANY, tag }))[0]?.id, id);
    }
    await plants.replaceAll('~one', numbered(10));
    assert.deepEqual(await plants.list('~one', ANY), numbered(10));
    // The content is the same, but a client must notice that its plant was replaced.
    assert.notEqual((await plants.get('~one', 7n))?.version, before?.version);
    // A replacement may exceed the quota, and the quota counts it.
    await engine.statements.write("UPDATE quotas SET most_plants = 5 WHERE store = '~one'", []);
    await plants.replaceAll('~one', numbered(20));
    await assert.rejects(plants.create('~one', { id: 100n, name: 'Moss' }), QuotaExceeded);
    await plants.replaceAll('~one', []);
    assert.deepEqual(await plants.list('~one', ANY), []);
    assert.deepEqual(await plants.list('~other', ANY), numbered(3));
    assert.deepEqual((await engine.check()).problems, []);
  });

  test(`a snapshot on ${name} holds every plant as it was`, async () => {
    await using data = await createDatabase(kind);
    await using engine = await open(data.url);
    const { plants } = engine;
    const all = [...SPECIAL, ...numbered(10_000)].sort((a, b) => (a.id < b.id ? -1 : 1));
    await plants.createMany('~one', all);
    assert.equal(await plants.takeSnapshot('~one', { number: 1, at: 12, mostBytes: MOST }), true);
    await plants.replaceAll('~one', [{ id: 5n, name: 'Moss' }]);
    assert.equal(await plants.takeSnapshot('~one', { number: 2, at: 34, mostBytes: MOST }), true);
    assert.equal(await plants.takeSnapshot('~empty', { number: 1, at: 56, mostBytes: MOST }), true);
    assert.deepEqual(await snapshotsOf(engine, '~one'), [
      [1, 12],
      [2, 34],
    ]);
    await plants.replaceAll('~one', 1);
    assert.deepEqual(await plants.list('~one', ANY), all);
    await plants.replaceAll('~one', 2);
    assert.deepEqual(await plants.list('~one', ANY), [{ id: 5n, name: 'Moss' }]);
    await plants.create('~empty', { id: 1n, name: 'Aloe' });
    await plants.replaceAll('~empty', 1);
    assert.deepEqual(await plants.list('~empty', ANY), []);
    await plants.remove('~one');
    assert.deepEqual([await plants.list('~one', ANY), await snapshotsOf(engine, '~one')], [[], []]);
    assert.deepEqual(await snapshotsOf(engine, '~empty'), [[1, 56]]);
    // Nothing is stored in a removed store.
    await plants.replaceAll('~one', [{ id: 1n, name: 'Aloe' }]);
    assert.equal(await plants.takeSnapshot('~one', { number: 1, at: 0, mostBytes: MOST }), false);
    assert.deepEqual([await plants.list('~one', ANY), await snapshotsOf(engine, '~one')], [[], []]);
    assert.deepEqual((await engine.check()).problems, []);
  });

  test(`a snapshot on ${name} is not taken twice, and has at most the given bytes`, async () => {
    await using data = await createDatabase(kind);
    await using engine = await open(data.url);
    const { plants, statements } = engine;
    await plants.createMany('~one', numbered(100));
    const taken = await Promise.all(
      Array.from({ length: 8 }, () => plants.takeSnapshot('~one', { number: 1, at: 0, mostBytes: MOST })),
    );
    assert.equal(taken.filter(Boolean).length, 1);
    const [[bytes] = []] = await statements.read('SELECT octet_length(plants) FROM snapshots');
    assert.equal(await plants.takeSnapshot('~one', { number: 2, at: 0, mostBytes: Number(bytes) - 1 }), false);
    assert.equal(await plants.takeSnapshot('~one', { number: 2, at: 0, mostBytes: Number(bytes) }), true);
  });

  test(`replacements on ${name} beside other writes of the store end whole, with gapless events`, async () => {
    await using data = await createDatabase(kind);
    await using engine = await open(data.url);
    const { plants } = engine;
    await engine.events.turnOn();
    await plants.createMany('~one', numbered(200, 'Moss'));
    await plants.takeSnapshot('~one', { number: 1, at: 0, mostBytes: MOST });
    let isOver = false;
    const write = async (lane: bigint) => {
      for (let id = lane; !isOver; id += 4n) {
        const plant = { id: id % 400n, name: `Aloe ${id}` };
        await plants.create('~one', plant);
        await plants.replace('~one', { ...plant, name: 'Ivy' }, undefined);
        await plants.delete('~one', plant.id - 8n, undefined);
      }
    };
    const writing = [0n, 1n, 2n, 3n].map(write);
    const read = async () => {
      while (!isOver) {
        const found = await plants.list('~one', ANY);
        // SQLite answers in the same turn of the event loop, so nothing else would happen.
        await new Promise((resolve) => setImmediate(resolve));
        assert.ok(found.every(({ id }, i) => i === 0 || id > (found[i - 1]?.id ?? 0n)));
      }
    };
    const reading = read();
    try {
      for (let i = 0; i < 10; i++) {
        await Promise.all([plants.replaceAll('~one', 1), plants.replaceAll('~one', numbered(200, 'Fern'))]);
      }
    } finally {
      isOver = true;
      await Promise.all([...writing, reading]);
    }
    // The last replacement and the changes after it make the present plants.
    const events = await plants.events('~one', 0n, 10_000);
    for (const [i, { number }] of events.entries()) assert.equal(number, (events[0]?.number ?? 0n) + BigInt(i));
    const last = events.findLastIndex(({ kind }) => kind === 'reset');
    const content = new Map<bigint, string>();
    const found = await plants.list('~one', ANY);
    const first = found.some(({ name }) => name.startsWith('Fern')) ? 'Fern' : 'Moss';
    for (const plant of numbered(200, first)) content.set(plant.id, plant.name);
    for (const { id, name: changed } of events.slice(last + 1)) {
      if (changed === null) content.delete(id as bigint);
      else content.set(id as bigint, changed);
    }
    assert.deepEqual(
      new Map(found.map(({ id, name }) => [id, name])),
      new Map([...content].sort(([a], [b]) => Number(a - b))),
    );
    assert.deepEqual((await engine.check()).problems, []);
  });
}
