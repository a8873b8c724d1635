import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slowerWithoutReason } from '../../lab/bench/guard.ts';

const SLOWER = new Map([
  ['get: CPU µs', 1.25],
  ['create at random: CPU µs', 1.11],
  ['list: CPU µs', 1.1],
]);

test('a release is refused if a request costs over 1.10 times as much, and the notes give no reason', () => {
  const refused = slowerWithoutReason(SLOWER, '- Slower: create, because of something else.');
  assert.deepEqual(
    refused.map((line) => line.slice(0, line.indexOf(' times'))),
    ['get costs 1.25', 'create at random costs 1.11'],
  );
});

test('a line of the notes with a reason permits only the request that it names', () => {
  const notes =
    'Notes.\n\n- Slower: get, because each page now has an entity tag.\n- Slower: create at random, because';
  assert.equal(slowerWithoutReason(SLOWER, notes).length, 1);
  assert.equal(slowerWithoutReason(SLOWER, `${notes} each create is checked twice.`).length, 0);
});
