/** Tests writes of other sessions between two statements of one write. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectFirst, readServer } from '../../../src/stores/postgres/database.ts';
import type { Query } from '../../../src/stores/postgres/session.ts';
import { createAll, deleteOne, replaceOne, plainWrites as writes } from '../../../src/stores/postgres/writes.ts';
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

const insert = `INSERT INTO plants (store, id, name, version) VALUES ('default', 1, 'Fern', 7)`;
const remove = `DELETE FROM plants WHERE store = 'default' AND id = 1`;

test('creating is repeated if the id was taken, but is free when the plant is read', async () => {
  await using server = await connected();
  assert.deepEqual(await createAll(server.between(insert, remove), [ALOE], writes), ['created']);
});

test('replacing or deleting is repeated if it found no plant, but one exists when the plant is read', async () => {
  await using server = await connected();
  assert.equal(await replaceOne(server.between(undefined, insert), ALOE, undefined, writes), 8n);
  assert.equal(await replaceOne(server.between(remove, insert), ALOE, { only: [7n] }, writes), 8n);
  assert.equal(await deleteOne(server.between(remove, insert), 'default', 1n, { only: [7n] }, writes), 'deleted');
  assert.equal(await deleteOne(server.between(undefined, insert), 'default', 1n, { only: [6n] }, writes), 'stale');
  assert.equal(await replaceOne(server.between(undefined, remove), ALOE, { except: [7n] }, writes), 'absent');
  assert.equal(await replaceOne(server.between(undefined, insert), ALOE, { except: [6n] }, writes), 8n);
  assert.equal(await deleteOne(server.between(remove, insert), 'default', 1n, { except: 'every' }, writes), 'stale');
});
