/** Holds the judge to account: a history that no order explains must not pass. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Event, isLinearizable, type State } from './linearizability.ts';

function write(sent: number, answered: number, content: string): Event {
  return { sent, answered, apply: () => ({ content, etag: undefined }), label: `write ${content}` };
}

function read(sent: number, answered: number, content: string | undefined): Event {
  const apply = (state: State) => (state?.content === content ? state : 'impossible');
  return { sent, answered, apply, label: `read ${content}` };
}

test('a read may see either of two overlapping writes, or neither yet', () => {
  for (const content of ['a', 'b', undefined]) {
    assert.ok(isLinearizable([write(0, 5, 'a'), write(1, 6, 'b'), read(2, 4, content)]), content ?? 'neither');
  }
});

test('a read after a write was answered may not miss it', () => {
  assert.ok(!isLinearizable([write(0, 1, 'a'), read(2, 3, undefined)]));
  assert.ok(!isLinearizable([write(0, 1, 'a'), write(2, 3, 'b'), read(4, 5, 'a')]));
});

test('two readers, one after the other, may not see two overlapping writes in turn and then back', () => {
  const writes = [write(0, 9, 'a'), write(1, 10, 'b')];
  assert.ok(isLinearizable([...writes, read(2, 3, 'a'), read(4, 5, 'b')]));
  assert.ok(!isLinearizable([...writes, read(2, 3, 'a'), read(4, 5, 'b'), read(6, 7, 'a')]));
});

test('a read may not see what nobody wrote', () => {
  assert.ok(!isLinearizable([write(0, 3, 'a'), read(1, 2, 'b')]));
});
