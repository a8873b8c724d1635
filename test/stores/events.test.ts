/** Tests the events that both engines write in the transactions of writes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreFailure } from '../../src/errors.ts';
import type { PlantEvent } from '../../src/plants/event.ts';
import type { EngineOptions } from '../../src/stores/engine.ts';
import { openEngine } from '../../src/stores/open.ts';
import { BOTH, createDatabase } from '../harness/database.ts';

const OPTIONS: EngineOptions = {
  queueLimit: 1_000,
  random: Math.random,
  onFatal: (cause) => assert.fail(String(cause)),
};

/** Opens an engine as another process would. */
async function open(url: string) {
  const engine = await openEngine(url, { ...OPTIONS, connections: 4, timeout: 10_000 });
  return { ...engine, [Symbol.asyncDispose]: () => engine.close() };
}

/** Runs a write, and once more if its session was ended: a change of events ends the sessions of other processes. */
const repeated = <T>(write: () => Promise<T>): Promise<T> =>
  write().catch((error: unknown) => {
    if (error instanceof StoreFailure && error.reason === 'unreachable') return write();
    throw error;
  });

const brief = ({ number, kind, id, name, tag, previousName, previousTag }: PlantEvent) => [
  ...[number, kind, id, name, tag, previousName, previousTag],
];

for (const [name, kind] of Object.entries(BOTH)) {
  test(`every change on ${name} makes one event, and no other call makes any`, async () => {
    await using data = await createDatabase(kind);
    await using engine = await open(data.url);
    await engine.events.turnOn();
    const { plants } = engine;
    const before = Date.now();
    await plants.create('one', { id: 1n, name: 'Aloe', tag: 'a' });
    await plants.create('one', { id: 1n, name: 'Aloe', tag: 'a' });
    await plants.create('one', { id: 1n, name: 'Fern' });
    const version = (await plants.get('one', 1n))?.version ?? 0n;
    const unchanged = { only: [version] };
    await plants.replace('one', { id: 1n, name: 'Fern' }, unchanged);
    await plants.replace('one', { id: 1n, name: 'Moss' }, unchanged);
    await plants.replace('one', { id: 2n, name: 'Moss' }, undefined);
    await plants.delete('one', 1n, unchanged);
    await plants.delete('one', 1n, undefined);
    await plants.delete('one', 1n, undefined);
    const events = await plants.events('one', 0n, 100);
    assert.deepEqual(events.map(brief), [
      [1n, 'created', 1n, 'Aloe', 'a', null, null],
      [2n, 'replaced', 1n, 'Fern', null, 'Aloe', 'a'],
      [3n, 'deleted', 1n, null, null, 'Fern', null],
    ]);
    for (const { at } of events) assert.ok(at >= before - 1_000 && at <= Date.now() + 1_000, String(at));
    assert.deepEqual((await plants.events('one', 1n, 1)).map(brief), [brief(events[1] as PlantEvent)]);
    assert.deepEqual(await plants.events('two', 0n, 1), []);

    const many = ['Ivy', 'Moss', 'Ivy'].map((name, i) => ({ id: BigInt(i % 2), name }));
    assert.deepEqual(await plants.createMany('two', many), ['created', 'created', 'same']);
    await Promise.all([3n, 4n, 5n].map((id) => plants.create(id === 4n ? 'three' : 'two', { id, name: 'Oak' })));
    const found = await plants.events('two', 0n, 100);
    assert.deepEqual(
      found.map(({ number }) => number),
      [1n, 2n, 3n, 4n],
    );
    assert.deepEqual(new Set(found.map(({ id }) => id)), new Set([0n, 1n, 3n, 5n]));
    assert.deepEqual((await plants.events('three', 0n, 9)).map(brief), [[1n, 'created', 4n, 'Oak', null, null, null]]);
    const newest = await plants.newestEvents(['one', 'two', 'none']);
    assert.deepEqual(newest, new Map(Object.entries({ one: 3n, two: 4n })));
  });

  test(`concurrent replacements on ${name} each make an event with the content that they replaced`, async () => {
    await using data = await createDatabase(kind);
    await using engine = await open(data.url);
    await engine.events.turnOn();
    await engine.plants.create('one', { id: 1n, name: 'plant 0' });
    const names = Array.from({ length: 20 }, (_, i) => `plant ${i + 1}`);
    await Promise.all(names.map((name) => engine.plants.replace('one', { id: 1n, name }, undefined)));
    const events = await engine.plants.events('one', 1n, 100);
    assert.equal(events.length, names.length);
    let content: string | null = 'plant 0';
    for (const { name, previousName } of events) {
      assert.equal(previousName, content);
      content = name;
    }
  });

  test(`a process on ${name} that is already running writes events once another turned them on`, async () => {
    await using data = await createDatabase(kind);
    await using other = await open(data.url);
    await other.plants.create('one', { id: 1n, name: 'Aloe' });
    await using engine = await open(data.url);
    assert.equal(await engine.events.period(), undefined);
    await engine.events.turnOn();
    const period = await engine.events.period();
    assert.match(String(period), /^\d{13}$/);
    await engine.events.turnOn();
    assert.equal(await other.events.period(), period);
    await repeated(() => other.plants.create('one', { id: 2n, name: 'Fern' }));
    await repeated(() => other.plants.delete('one', 1n, undefined));
    await using late = await open(data.url);
    await late.plants.create('one', { id: 3n, name: 'Moss' });
    const kinds = async () => (await engine.plants.events('one', 0n, 9)).map(({ kind, id }) => `${kind} ${id}`);
    assert.deepEqual(await kinds(), ['created 2', 'deleted 1', 'created 3']);

    await late.events.turnOff();
    for (const one of [other, engine, late]) await repeated(() => one.plants.delete('one', 3n, undefined));
    await other.plants.create('one', { id: 4n, name: 'Oak' });
    assert.deepEqual(await kinds(), ['created 2', 'deleted 1', 'created 3']);
    await other.events.turnOn();
    assert.notEqual(await engine.events.period(), period);
    await late.plants.create('one', { id: 5n, name: 'Elm' });
    assert.deepEqual((await kinds()).slice(3), ['created 5']);
  });

  test(`replacing all plants on ${name} is one event of the sequence, and a removed store has none`, async () => {
    await using data = await createDatabase(kind);
    await using engine = await open(data.url);
    const { plants } = engine;
    for (const store of ['~early', '~one', '~other'])
      await engine.statements.write('INSERT INTO quotas VALUES ($1, 0, 0, 9, 9000, 500)', [store]);
    const events = async (store: string) =>
      (await plants.events(store, 0n, 9)).map(({ number, kind, id }) => [number, kind, id]);
    await plants.replaceAll('~early', [{ id: 1n, name: 'Aloe' }]);
    assert.deepEqual(await events('~early'), []);
    await engine.events.turnOn();
    await plants.create('~one', { id: 1n, name: 'Aloe' });
    await plants.replaceAll('~one', [{ id: 2n, name: 'Fern' }]);
    await plants.replaceAll('~one', []);
    await plants.create('~one', { id: 3n, name: 'Moss' });
    await plants.replaceAll('~other', []);
    assert.deepEqual(await events('~one'), [
      [1n, 'created', 1n],
      [2n, 'reset', null],
      [3n, 'reset', null],
      [4n, 'created', 3n],
    ]);
    await plants.remove('~one');
    assert.deepEqual(await events('~one'), []);
    assert.deepEqual(await plants.newestEvents(['~one']), new Map());
    assert.deepEqual(await events('~other'), [[1n, 'reset', null]]);
  });

  test(`a store on ${name} keeps only its last events if it has a quota`, async () => {
    await using data = await createDatabase(kind);
    await using engine = await open(data.url);
    await engine.events.turnOn();
    await engine.statements.write('INSERT INTO quotas VALUES ($1, 0, 0, 9, 9000, 2)', ['~one']);
    for (let id = 1n; id <= 5n; id++) await engine.plants.create('~one', { id, name: 'Aloe' });
    const events = await engine.plants.events('~one', 0n, 9);
    assert.deepEqual(
      events.map(({ number }) => number),
      [4n, 5n],
    );
  });

  test(`a write on ${name} fails and stores nothing if its event cannot be written`, async () => {
    await using data = await createDatabase(kind);
    await using engine = await open(data.url);
    await engine.events.turnOn();
    const { plants } = engine;
    await plants.create('one', { id: 1n, name: 'Aloe' });
    // The next event has this number, so its key exists.
    await engine.statements.write("INSERT INTO events (store, number, at, kind) VALUES ('one', 2, 0, 'reset')", []);
    await assert.rejects(plants.create('one', { id: 2n, name: 'Fern' }));
    await assert.rejects(plants.replace('one', { id: 1n, name: 'Fern' }, undefined));
    await assert.rejects(plants.delete('one', 1n, undefined));
    assert.deepEqual(await plants.list('one', { limit: 10 }), [{ id: 1n, name: 'Aloe' }]);
    await engine.statements.write("DELETE FROM events WHERE kind = 'reset'", []);
    await plants.create('one', { id: 3n, name: 'Moss' });
    assert.deepEqual(
      (await plants.events('one', 0n, 9)).map(({ number, id }) => [number, id]),
      [
        [1n, 1n],
        [2n, 3n],
      ],
    );
  });
}
