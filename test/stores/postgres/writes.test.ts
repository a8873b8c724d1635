/** Tests writes of other sessions between two statements of one write. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Precondition } from '../../../src/plants/plant-store.ts';
import { connectFirst, readServer } from '../../../src/stores/postgres/database.ts';
import type { Query } from '../../../src/stores/postgres/session.ts';
import { changeOne, createAll, plainWrites as writes } from '../../../src/stores/postgres/writes.ts';
import { execute, sharedPostgres } from '../../harness/postgres.ts';
import { BOUND, openOn } from './server.ts';

const ALOE = { store: 'default', id: 1n, name: 'Aloe', tag: null, digest: null, version: 7n };

/** Connects to a schema with the tables. `between`: another session's statements, one before each of the write's. */
async function connected() {
  const place = await openOn(sharedPostgres());
  const connection = await connectFirst(readServer(place.url, 5 * BOUND), 5 * BOUND);
  return {
    between(...others: readonly (string | undefined)[]): Query {
      const left = [...others];
      return async (text, values) => {
        const other = left.shift();
        if (other !== undefined) await execute(place.url, other);
        return connection.ask(text, values);
      };
    },
    async [Symbol.asyncDispose]() {
      await connection.end();
      await place[Symbol.asyncDispose]();
    },
  };
}

const replaceAloe = (query: Query, condition?: Precondition) =>
  changeOne(query, { kind: 'replace', store: 'default', row: ALOE, condition }, writes);
const deleteAloe = (query: Query, condition: Precondition) =>
  changeOne(query, { kind: 'delete', store: 'default', id: 1n, condition }, writes);

const insert = `INSERT INTO plants (store, id, name, version) VALUES ('default', 1, 'Fern', 7)`;
const remove = `DELETE FROM plants WHERE store = 'default' AND id = 1`;

test('creating is repeated if the id was taken, but is free when the plant is read', async () => {
  await using server = await connected();
  assert.deepEqual(await createAll(server.between(insert, remove), [ALOE], writes), ['created']);
});

test('replacing or deleting is repeated if it found no plant, but one exists when the plant is read', async () => {
  await using server = await connected();
  assert.equal(await replaceAloe(server.between(undefined, insert)), 8n);
  assert.equal(await replaceAloe(server.between(remove, insert), { only: [7n] }), 8n);
  assert.equal(await deleteAloe(server.between(remove, insert), { only: [7n] }), 'deleted');
  assert.equal(await deleteAloe(server.between(undefined, insert), { only: [6n] }), 'stale');
  assert.equal(await replaceAloe(server.between(undefined, remove), { except: [7n] }), 'absent');
  assert.equal(await replaceAloe(server.between(undefined, insert), { except: [6n] }), 8n);
  assert.equal(await deleteAloe(server.between(remove, insert), { except: 'every' }), 'stale');
});
