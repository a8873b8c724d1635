/** Tests further rows on both engines with a journal that has a counter for each store. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EngineOptions } from '../../src/stores/engine.ts';
import type { FurtherRows } from '../../src/stores/further-rows.ts';
import { openEngine } from '../../src/stores/open.ts';
import { createDirectory } from '../harness/directory.ts';
import { createSchema, sharedPostgres } from '../harness/postgres.ts';

const columns = (text: string, integer: string) =>
  `store ${text} NOT NULL, place ${integer} NOT NULL, kind ${text} NOT NULL, id ${integer} NOT NULL,
   name ${text} CHECK (name <> 'refused'), tag ${text}, previous_name ${text}, previous_tag ${text},
   PRIMARY KEY (store, place)`;

const JOURNAL: FurtherRows = {
  tables: {
    journal: { sqlite: columns('TEXT', 'INTEGER'), postgres: columns('text', 'int8') },
    journal_ends: {
      sqlite: 'store TEXT PRIMARY KEY, last INTEGER NOT NULL',
      postgres: 'store text PRIMARY KEY, last int8 NOT NULL',
    },
  },
  sqlite: [
    `INSERT INTO journal_ends SELECT store, 1 FROM changes WHERE true
       ON CONFLICT (store) DO UPDATE SET last = last + 1`,
    `INSERT INTO journal SELECT store, last, kind, id, name, tag, previous_name, previous_tag
       FROM changes JOIN journal_ends USING (store)`,
  ],
  postgres: {
    counted: `INSERT INTO journal_ends AS ends SELECT store, count(*) FROM changes GROUP BY store
       ON CONFLICT (store) DO UPDATE SET last = ends.last + excluded.last RETURNING store, last`,
    written_down: `INSERT INTO journal
       SELECT store, last + 1 - row_number() OVER (PARTITION BY store ORDER BY id DESC),
         kind, id, name, tag, previous_name, previous_tag
       FROM changes JOIN counted USING (store)`,
  },
};

const OPTIONS: EngineOptions = {
  queueLimit: 1_000,
  random: Math.random,
  onFatal: (cause) => assert.fail(String(cause)),
};

/** Opens an engine with or without the journal. */
async function openWith(url: string, furtherRows: readonly FurtherRows[]) {
  const engine = await openEngine(url, { ...OPTIONS, furtherRows, connections: 4, timeout: 10_000 });
  return { ...engine, [Symbol.asyncDispose]: () => engine.close() };
}

for (const name of ['SQLite', 'PostgreSQL']) {
  const createData = async () => {
    if (name === 'PostgreSQL') return createSchema(sharedPostgres());
    const directory = createDirectory();
    const [url, remove] = [`sqlite:${directory.at('plants.db')}`, directory[Symbol.dispose]];
    return { url, [Symbol.asyncDispose]: async () => remove() };
  };

  test(`every change on ${name} writes its further rows once, and no other call writes any`, async () => {
    await using data = await createData();
    await using engine = await openWith(data.url, [JOURNAL]);
    const { plants } = engine;
    const journal = (store: string) =>
      engine.statements.read(
        'SELECT place, kind, id, name, tag, previous_name, previous_tag FROM journal WHERE store = $1 ORDER BY place',
        [store],
      );
    await plants.create('one', { id: 1n, name: 'Aloe', tag: 'a' });
    await plants.create('one', { id: 1n, name: 'Aloe', tag: 'a' });
    await plants.create('one', { id: 1n, name: 'Fern' });
    const version = (await plants.get('one', 1n))?.version ?? 0n;
    await plants.replace('one', { id: 1n, name: 'Fern' }, [version]);
    await plants.replace('one', { id: 1n, name: 'Moss' }, [version]);
    await plants.replace('one', { id: 2n, name: 'Moss' }, undefined);
    await plants.delete('one', 1n, [version]);
    await plants.delete('one', 1n, undefined);
    await plants.delete('one', 1n, undefined);
    assert.deepEqual(await journal('one'), [
      [1n, 'created', 1n, 'Aloe', 'a', null, null],
      [2n, 'replaced', 1n, 'Fern', null, 'Aloe', 'a'],
      [3n, 'deleted', 1n, null, null, 'Fern', null],
    ]);

    const many = ['Ivy', 'Moss', 'Ivy'].map((name, i) => ({ id: BigInt(i % 2), name }));
    assert.deepEqual(await plants.createMany('two', many), ['created', 'created', 'same']);
    await Promise.all([3n, 4n, 5n].map((id) => plants.create(id === 4n ? 'three' : 'two', { id, name: 'Oak' })));
    await plants.clear('two', 1);
    const found = (await journal('two')).map(([place, , id]) => [place, id]);
    assert.deepEqual(
      found.map(([place]) => place),
      [1n, 2n, 3n, 4n],
    );
    assert.deepEqual(new Set(found.map(([, id]) => id)), new Set([0n, 1n, 3n, 5n]));
    assert.deepEqual(await journal('three'), [[1n, 'created', 4n, 'Oak', null, null, null]]);
  });

  test(`concurrent replacements on ${name} each record the content that they replaced`, async () => {
    await using data = await createData();
    await using engine = await openWith(data.url, [JOURNAL]);
    await engine.plants.create('one', { id: 1n, name: 'plant 0' });
    const names = Array.from({ length: 20 }, (_, i) => `plant ${i + 1}`);
    await Promise.all(names.map((name) => engine.plants.replace('one', { id: 1n, name }, undefined)));
    const rows = await engine.statements.read('SELECT previous_name, name FROM journal ORDER BY place');
    assert.equal(rows.length, 1 + names.length);
    assert.deepEqual(
      rows.slice(1).map(([previous]) => previous),
      rows.slice(0, -1).map(([, name]) => name),
    );
  });

  test(`a write on ${name} fails and stores nothing if its further rows cannot be written`, async () => {
    await using data = await createData();
    await using engine = await openWith(data.url, [JOURNAL]);
    const { plants } = engine;
    await plants.create('one', { id: 1n, name: 'Aloe' });
    await assert.rejects(plants.create('one', { id: 2n, name: 'refused' }));
    await assert.rejects(plants.replace('one', { id: 1n, name: 'refused' }, undefined));
    assert.deepEqual(await plants.list('one', { limit: 10 }), [{ id: 1n, name: 'Aloe' }]);
    await plants.create('one', { id: 3n, name: 'Fern' });
    assert.deepEqual(await engine.statements.read('SELECT place, id FROM journal ORDER BY place'), [
      [1n, 1n],
      [2n, 3n],
    ]);
  });

  test(`existing data on ${name} gets the tables when an engine with further rows opens it`, async () => {
    await using data = await createData();
    await (await openWith(data.url, [])).close();
    for (let start = 1n; start <= 2n; start++) {
      await using engine = await openWith(data.url, [JOURNAL]);
      await engine.plants.create('one', { id: start, name: 'Aloe' });
      assert.deepEqual(await engine.statements.read('SELECT last FROM journal_ends'), [[start]]);
    }
  });
}
