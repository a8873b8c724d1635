import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Rows } from '../../../src/stores/postgres/connection.ts';
import { createAll, replaceOne } from '../../../src/stores/postgres/writes.ts';

const ALOE = { store: 'default', id: 1n, name: 'Aloe', tag: null, digest: null, version: 7n };
const NONE: Rows = { rows: [], count: 0 };

/** A server whose answers come in this order, as others' writes between two statements make them. */
function answering(...answers: readonly Rows[]) {
  const left = [...answers];
  return async () => left.shift() ?? assert.fail('one statement too many');
}

test('a create whose id was taken, and is free again by the time it is looked at, is repeated', async () => {
  const server = answering(NONE, NONE, { rows: [['default', '1']], count: 1 });
  assert.deepEqual(await createAll(server, [ALOE]), ['created']);
});

test('a replace that met no plant, though one is there by the time it is looked at, is repeated', async () => {
  const there = { rows: [[7n]], count: 1 };
  for (const expected of [undefined, [7n]]) {
    const server = answering(NONE, there, { rows: [[8n]], count: 1 });
    assert.equal(await replaceOne(server, ALOE, expected), 8n);
  }
  assert.equal(await replaceOne(answering(NONE, there), ALOE, [6n]), 'stale');
});
