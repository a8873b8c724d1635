/** Tests parts of PlantStore that no operation shows: createMany, snapshots, and several stores in a batch. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { StoredPlant } from '../../src/plants/plant.ts';
import type { PlantStore } from '../../src/plants/plant-store.ts';
import { startTestService } from '../harness/service.ts';

const MIN = -(2n ** 63n);
const MAX = 2n ** 63n - 1n;
const STORE = 'default';

/** Runs a test on the empty store of a new service. */
function plantsTest(name: string, work: (plants: PlantStore) => Promise<void>): void {
  test(name, async () => {
    await using service = await startTestService();
    await work(service.engine.plants);
  });
}

describe('a plant store', () => {
  plantsTest('shows nothing of one store to another, not even that an id is taken', async (plants) => {
    await plants.create('one', { id: 7n, name: 'of one', tag: 't' });
    assert.equal(await plants.get('two', 7n), undefined);
    assert.deepEqual(await plants.list('two', { limit: 10 }), []);
    assert.deepEqual(await plants.list('two', { tag: 't', limit: 10 }), []);
    assert.equal(await plants.replace('two', { id: 7n, name: 'mine' }, undefined), 'absent');
    assert.equal(await plants.delete('two', 7n, undefined), 'absent');
    // Both start together, so that they may share a batch.
    const both = ['one', 'two'].map((store) => plants.create(store, { id: 7n, name: 'of two' }));
    assert.deepEqual(await Promise.all(both), ['taken', 'created']);
    assert.equal(await plants.delete('two', 7n, undefined), 'deleted');
    assert.equal((await plants.get('one', 7n))?.name, 'of one');
  });

  plantsTest('writes only if the condition holds for the current version', async (plants) => {
    const plant = { id: 4n, name: 'a' };
    await plants.create(STORE, plant);
    const { version = 0n } = (await plants.get(STORE, 4n)) ?? {};
    for (const condition of [
      { only: [] },
      { only: [version + 1n] },
      { except: [version] },
      { except: [1n, version] },
      { except: 'every' },
      { only: [version], except: [version] },
      { only: [version], except: 'every' },
    ] as const) {
      assert.equal(await plants.replace(STORE, { ...plant, name: 'b' }, condition), 'stale');
      assert.equal(await plants.delete(STORE, 4n, condition), 'stale');
      for (const id of [5n, MAX]) {
        assert.equal(await plants.replace(STORE, { id, name: 'b' }, condition), 'absent');
        assert.equal(await plants.delete(STORE, id, condition), 'absent');
      }
    }
    assert.deepEqual(await plants.get(STORE, 4n), { ...plant, version });
    const replaced = await plants.replace(STORE, plant, { only: [1n, version], except: [version + 1n] });
    assert.deepEqual(replaced, { ...plant, version: version + 1n });
    assert.deepEqual(await plants.replace(STORE, plant, { except: [] }), { ...plant, version: version + 2n });
    assert.equal(await plants.delete(STORE, 4n, { except: [version] }), 'deleted');
  });

  plantsTest('creates many plants by the rules of create, with their results in order', async (plants) => {
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

  plantsTest('creates thousands of plants in one call while clients write', async (plants) => {
    const many = Array.from({ length: 5_000 }, (_, i): StoredPlant => ({ id: BigInt(i), name: 'p' }));
    const [results, one] = await Promise.all([
      plants.createMany(STORE, many),
      plants.create(STORE, { id: -1n, name: 'q' }),
    ]);
    assert.deepEqual([count(results), one], [{ created: 5_000 }, 'created']);
    assert.deepEqual(count(await plants.createMany(STORE, many)), { same: 5_000 });
  });

  plantsTest('reads a snapshot of one moment while plants are written', async (plants) => {
    const made = Array.from(
      { length: 5_000 },
      (_, i): StoredPlant => ({ id: BigInt(i - 2_500), name: `p${i}`, tag: 't' }),
    );
    await plants.createMany(STORE, made);
    await plants.create('other', { id: 0n, name: 'of another store' });
    const seen: StoredPlant[] = [];
    for await (const piece of plants.readAll(STORE)) {
      if (seen.length === 0) {
        await plants.create(STORE, { id: 9_000n, name: 'later' });
        await plants.delete(STORE, 2_000n, undefined);
        await plants.replace(STORE, { id: 2_001n, name: 'changed' }, undefined);
      }
      assert.ok(piece.length > 0 && piece.length <= 2_000, `${piece.length} at once`);
      seen.push(...piece);
    }
    assert.deepEqual(seen, made);
    assert.deepEqual(await Array.fromAsync(plants.readAll('none')), []);
    // A snapshot that was left early must not block a write or the end.
    for await (const _ of plants.readAll(STORE)) break;
    assert.equal(await plants.create(STORE, { id: 9_001n, name: 'after' }), 'created');
  });
});

function count(outcomes: readonly string[]): Record<string, number> {
  const groups = Map.groupBy(outcomes, (outcome) => outcome);
  return Object.fromEntries([...groups].map(([outcome, group]) => [outcome, group.length]));
}
