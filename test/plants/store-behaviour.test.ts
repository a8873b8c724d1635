/** What every PlantStore has to do: no expectation here knows which engine the harness opens. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { StoreFailure } from '../../src/errors.ts';
import type { StoredPlant, VersionedPlant } from '../../src/plants/plant.ts';
import type { PlantStore } from '../../src/plants/plant-store.ts';
import { startTestService } from '../harness/service.ts';

const MIN = -(2n ** 63n);
const MAX = 2n ** 63n - 1n;
const STORE = 'default';

/** A test on the empty store of a service of its own. */
function plantsTest(name: string, work: (plants: PlantStore) => Promise<void>): void {
  test(name, async () => {
    await using service = await startTestService();
    await work(service.engine.plants);
  });
}

describe('a plant store', () => {
  plantsTest('keeps a new plant as it came, and tells a repetition from a different plant', async (plants) => {
    const aloe = { id: 12n, name: 'Aloe vera', tag: 'succulent' };
    assert.equal(await plants.create(STORE, aloe), 'created');
    const before = await read(plants, 12n);
    assert.deepEqual(before, { ...aloe, version: before.version });
    assert.equal(await plants.create(STORE, aloe), 'same');
    for (const other of [
      { ...aloe, name: 'Agave' },
      { ...aloe, tag: 'Succulent' },
      { id: 12n, name: aloe.name },
    ]) {
      assert.equal(await plants.create(STORE, other), 'taken');
    }
    assert.deepEqual(await read(plants, 12n), before, 'neither a repetition nor a refusal changes anything');
  });

  plantsTest('tells an empty tag from none', async (plants) => {
    await plants.create(STORE, { id: 1n, name: '' });
    await plants.create(STORE, { id: 2n, name: '', tag: '' });
    assert.equal(await plants.create(STORE, { id: 1n, name: '', tag: '' }), 'taken');
    assert.equal(await plants.create(STORE, { id: 2n, name: '' }), 'taken');
    assert.ok(!('tag' in (await read(plants, 1n))));
    assert.equal((await read(plants, 2n)).tag, '');
    assert.deepEqual(await plants.list(STORE, { tag: '', limit: 10 }), [{ id: 2n, name: '', tag: '' }]);
  });

  plantsTest('keeps ids exact over the whole int64 range, and lists them ascending', async (plants) => {
    const ids = [MIN, MIN + 1n, -(2n ** 53n) - 1n, -1n, 0n, 1n, 9n, 10n, 2n ** 53n + 1n, MAX - 1n, MAX];
    for (const id of ids.toReversed()) assert.equal(await plants.create(STORE, { id, name: `${id}` }), 'created');
    const all = await plants.list(STORE, { limit: 100 });
    assert.deepEqual(
      all.map(({ id }) => id),
      ids,
    );
    for (const id of ids) assert.equal((await read(plants, id)).name, `${id}`);
    for (const [i, after] of ids.entries()) {
      assert.deepEqual(await plants.list(STORE, { after, limit: 100 }), all.slice(i + 1), `after ${after}`);
      assert.deepEqual(await plants.list(STORE, { after, limit: 1 }), all.slice(i + 1, i + 2), `one after ${after}`);
    }
    assert.deepEqual(
      await plants.list(STORE, { after: 5n, limit: 1 }),
      all.slice(6, 7),
      'after an id that is not there',
    );
  });

  plantsTest('keeps text to the code point and compares it exactly', async (plants) => {
    const texts = [
      'a',
      'A',
      'a ',
      ' a',
      '\u00e1',
      'a\u0301',
      'ß',
      'ss',
      '',
      '\t\n',
      "'; --",
      '%',
      '_',
      '\u{1f335}',
      '\uffff',
      '🪴'.repeat(1024),
    ];
    for (const [i, text] of texts.entries()) {
      await plants.create(STORE, { id: BigInt(i), name: text, tag: text });
    }
    for (const [i, text] of texts.entries()) {
      const plant = { id: BigInt(i), name: text, tag: text };
      assert.equal(await plants.create(STORE, plant), 'same');
      assert.deepEqual(await plants.list(STORE, { tag: text, limit: 10 }), [plant]);
    }
  });

  plantsTest('filters by tag in order of id and page by page', async (plants) => {
    for (let id = -9n; id <= 9n; id++)
      await plants.create(STORE, { id, name: 'p', ...(id % 3n === 0n && { tag: 't' }) });
    const tagged = (await plants.list(STORE, { tag: 't', limit: 100 })).map(({ id }) => id);
    assert.deepEqual(tagged, [-9n, -6n, -3n, 0n, 3n, 6n, 9n]);
    const page = await plants.list(STORE, { tag: 't', after: -6n, limit: 3 });
    assert.deepEqual(
      page.map(({ id }) => id),
      [-3n, 0n, 3n],
    );
    assert.deepEqual(await plants.list(STORE, { tag: 'none', limit: 100 }), []);
  });

  plantsTest('shows nothing of one store to another, not even that an id is taken', async (plants) => {
    await plants.create('one', { id: 7n, name: 'of one', tag: 't' });
    assert.equal(await plants.get('two', 7n), undefined);
    assert.deepEqual(await plants.list('two', { limit: 10 }), []);
    assert.deepEqual(await plants.list('two', { tag: 't', limit: 10 }), []);
    assert.equal(await plants.replace('two', { id: 7n, name: 'mine' }, undefined), 'absent');
    assert.equal(await plants.delete('two', 7n, undefined), 'absent');
    // At once, so that both may be in one batch.
    const both = ['one', 'two'].map((store) => plants.create(store, { id: 7n, name: 'of two' }));
    assert.deepEqual(await Promise.all(both), ['taken', 'created']);
    assert.equal(await plants.delete('two', 7n, undefined), 'deleted');
    assert.equal((await plants.get('one', 7n))?.name, 'of one');
  });

  plantsTest('replaces name and tag and gives the plant another version', async (plants) => {
    await plants.create(STORE, { id: 1n, name: 'a', tag: 't' });
    const first = await read(plants, 1n);
    const second = await plants.replace(STORE, { id: 1n, name: 'b' }, [first.version]);
    assert.ok(typeof second === 'object');
    assert.notEqual(second.version, first.version);
    assert.deepEqual(await read(plants, 1n), second);
    assert.ok(!('tag' in (await read(plants, 1n))));
    assert.deepEqual(await plants.list(STORE, { tag: 't', limit: 10 }), [], 'the old tag no longer finds it');
    await plants.replace(STORE, { id: 1n, name: 'b', tag: 'u' }, undefined);
    assert.deepEqual(await plants.list(STORE, { tag: 'u', limit: 10 }), [{ id: 1n, name: 'b', tag: 'u' }]);
  });

  plantsTest('refuses a conditional write of another version and changes nothing', async (plants) => {
    await plants.create(STORE, { id: 1n, name: 'a' });
    const before = await read(plants, 1n);
    for (const expected of [[], [before.version + 1n], [before.version - 1n, 0n]]) {
      assert.equal(await plants.replace(STORE, { id: 1n, name: 'b' }, expected), 'stale');
      assert.equal(await plants.delete(STORE, 1n, expected), 'stale');
      assert.equal(await plants.delete(STORE, 2n, expected), 'absent');
      assert.equal(await plants.replace(STORE, { id: 2n, name: 'b' }, expected), 'absent');
    }
    assert.deepEqual(await read(plants, 1n), before);
    assert.equal(await plants.delete(STORE, 1n, [1n, before.version]), 'deleted', 'one of several is enough');
  });

  plantsTest('lets a deleted id be created again, as another version', async (plants) => {
    const versions = new Set<bigint>();
    for (let round = 0; round < 20; round++) {
      assert.equal(await plants.create(STORE, { id: 1n, name: 'a' }), 'created');
      versions.add((await read(plants, 1n)).version);
      assert.equal(await plants.delete(STORE, 1n, undefined), 'deleted');
      assert.equal(await plants.get(STORE, 1n), undefined);
      assert.equal(await plants.delete(STORE, 1n, undefined), 'absent');
    }
    assert.equal(versions.size, 20);
  });

  plantsTest('lets exactly one of many concurrent writers win', async (plants) => {
    const rivals = Array.from({ length: 100 }, (_, i) => ({ id: 1n, name: `rival ${i}` }));
    const creates = await Promise.all(rivals.map((plant) => plants.create(STORE, plant)));
    assert.deepEqual(count(creates), { created: 1, taken: 99 });
    const { version, ...winner } = await read(plants, 1n);
    assert.deepEqual(winner, rivals[creates.indexOf('created')]);
    const again = await Promise.all(rivals.map(() => plants.create(STORE, winner)));
    assert.deepEqual(count(again), { same: 100 });
    const replaces = await Promise.all(rivals.map((plant) => plants.replace(STORE, plant, [version])));
    const won = replaces.filter((outcome) => typeof outcome === 'object');
    assert.equal(won.length, 1);
    assert.deepEqual(await read(plants, 1n), won[0]);
    const deletes = await Promise.all(rivals.map(() => plants.delete(STORE, 1n, undefined)));
    assert.deepEqual(count(deletes), { deleted: 1, absent: 99 });
  });

  plantsTest('shows a reader every write that was answered before', async (plants) => {
    const writer = async (id: bigint) => {
      await plants.create(STORE, { id, name: 'a' });
      assert.equal((await plants.get(STORE, id))?.name, 'a');
      await plants.replace(STORE, { id, name: 'b' }, undefined);
      assert.deepEqual(await plants.list(STORE, { after: id - 1n, limit: 1 }), [{ id, name: 'b' }]);
      await plants.delete(STORE, id, undefined);
      assert.equal(await plants.get(STORE, id), undefined);
    };
    await Promise.all(Array.from({ length: 200 }, (_, i) => writer(BigInt(i * 1_000))));
  });

  test('has every answered write again after a restart', async () => {
    await using service = await startTestService();
    const made = Array.from(
      { length: 500 },
      (_, i): StoredPlant => ({ id: BigInt(i), name: `p${i}`, tag: `t${i % 3}` }),
    );
    await Promise.all(made.map((plant) => service.engine.plants.create(STORE, plant)));
    const before = await read(service.engine.plants, 100n);
    await service.restart();
    assert.deepEqual(await service.engine.plants.list(STORE, { limit: 1_000 }), made);
    assert.deepEqual(await read(service.engine.plants, 100n), before);
  });

  plantsTest('creates many plants by the rules of create, and tells the result of each in order', async (plants) => {
    await plants.create('other', { id: 3n, name: 'of another store' });
    await plants.create(STORE, { id: 5n, name: 'same', tag: '' });
    await plants.create(STORE, { id: 7n, name: 'taken' });
    const many: readonly StoredPlant[] = [
      { id: MAX, name: 'last' },
      { id: 7n, name: 'not this' },
      { id: 5n, name: 'same', tag: '' },
      { id: 3n, name: 'first of two', tag: 't' },
      { id: 3n, name: 'second of two' },
      { id: 3n, name: 'first of two', tag: 't' },
      { id: MIN, name: 'first' },
    ];
    const results = ['created', 'taken', 'same', 'created', 'taken', 'same', 'created'];
    assert.deepEqual(await plants.createMany(STORE, many), results);
    assert.deepEqual(await plants.list(STORE, { limit: 10 }), [
      { id: MIN, name: 'first' },
      { id: 3n, name: 'first of two', tag: 't' },
      { id: 5n, name: 'same', tag: '' },
      { id: 7n, name: 'taken' },
      { id: MAX, name: 'last' },
    ]);
    assert.deepEqual(await plants.createMany(STORE, []), []);
    await plants.delete(STORE, 3n, undefined);
    assert.deepEqual(await plants.createMany(STORE, many.slice(3, 5)), ['created', 'taken']);
  });

  plantsTest('creates thousands of plants at once, beside clients that write', async (plants) => {
    const many = Array.from({ length: 5_000 }, (_, i): StoredPlant => ({ id: BigInt(i), name: 'p' }));
    const [results, one] = await Promise.all([
      plants.createMany(STORE, many),
      plants.create(STORE, { id: -1n, name: 'q' }),
    ]);
    assert.deepEqual([count(results), one], [{ created: 5_000 }, 'created']);
    assert.deepEqual(count(await plants.createMany(STORE, many)), { same: 5_000 });
  });

  plantsTest('shows in a snapshot every plant of one moment, whatever is written meanwhile', async (plants) => {
    const made = Array.from(
      { length: 5_000 },
      (_, i): StoredPlant => ({ id: BigInt(i - 2_500), name: `p${i}`, tag: 't' }),
    );
    await plants.createMany(STORE, made);
    await plants.create('other', { id: 0n, name: 'of another store' });
    const seen: StoredPlant[] = [];
    for await (const piece of plants.snapshot(STORE)) {
      if (seen.length === 0) {
        await plants.create(STORE, { id: 9_000n, name: 'later' });
        await plants.delete(STORE, 2_000n, undefined);
        await plants.replace(STORE, { id: 2_001n, name: 'changed' }, undefined);
      }
      assert.ok(piece.length > 0 && piece.length <= 2_000, `${piece.length} at once`);
      seen.push(...piece);
    }
    assert.deepEqual(seen, made);
    assert.deepEqual(await Array.fromAsync(plants.snapshot('none')), []);
    // Left early, it holds nothing that a write or the end would wait for.
    for await (const _ of plants.snapshot(STORE)) break;
    assert.equal(await plants.create(STORE, { id: 9_001n, name: 'after' }), 'created');
  });

  test('refuses writes beyond its queue as overloaded, and they may be repeated', async () => {
    await using service = await startTestService({ maxQueue: 5 });
    const { plants } = service.engine;
    const wanted = Array.from({ length: 100 }, (_, i): StoredPlant => ({ id: BigInt(i), name: 'p' }));
    const results = await Promise.allSettled(wanted.map((plant) => plants.create(STORE, plant)));
    const refused = results.filter((result) => result.status === 'rejected');
    assert.equal(refused.length, wanted.length - 5);
    for (const { reason } of refused) {
      assert.ok(reason instanceof StoreFailure && reason.reason === 'overloaded', String(reason));
    }
    for (const plant of wanted) assert.notEqual(await plants.create(STORE, plant), 'taken');
    assert.deepEqual(await plants.list(STORE, { limit: 1_000 }), wanted);
  });
});

async function read(plants: PlantStore, id: bigint): Promise<VersionedPlant> {
  const plant = await plants.get(STORE, id);
  assert.ok(plant !== undefined, `plant ${id} is there`);
  return plant;
}

function count(outcomes: readonly string[]): Record<string, number> {
  const groups = Map.groupBy(outcomes, (outcome) => outcome);
  return Object.fromEntries([...groups].map(([outcome, group]) => [outcome, group.length]));
}
