import assert from 'node:assert/strict';
import { test } from 'node:test';
import { INT64_MIN } from '../../src/contract/schema.ts';
import { createCursors } from '../../src/plants/cursor.ts';

const { encode, decode } = createCursors(Buffer.from('a key'));

test('a cursor is good for the store and the tag that it was made for, as it was written', () => {
  const scope = { store: 'default', tag: 'herb' };
  const cursor = encode(scope, INT64_MIN);
  assert.match(cursor, /^[A-Za-z0-9_-]{32}$/);
  assert.equal(decode(scope, cursor), INT64_MIN);
  for (const other of [{ store: 'default' }, { store: 'default', tag: '' }, { store: 'other', tag: 'herb' }]) {
    assert.equal(decode(other, cursor), undefined);
  }
  for (const other of ['', cursor.slice(1), `${cursor}A`, `${cursor}=`, ` ${cursor}`, `${cursor.slice(0, -1)}+`]) {
    assert.equal(decode(scope, other), undefined, other);
  }
  const another = createCursors(Buffer.from('another key'));
  assert.equal(another.decode(scope, cursor), undefined);
});
