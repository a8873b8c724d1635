import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entityTag, versionsFor } from '../../src/contract/entity-tags.ts';
import { INT64_MAX } from '../../src/contract/schema.ts';

const only = (field: string) => versionsFor({ 'If-Match': field }).only;

test('every version is read back from its entity tag', () => {
  const powers = Array.from({ length: 13 }, (_, i) => 36n ** BigInt(i));
  const versions = powers.flatMap((power) => [power - 1n, power, power + 1n, 7n * power]).filter((v) => v <= INT64_MAX);
  for (const version of [...versions, INT64_MAX - 1n, INT64_MAX]) {
    assert.deepEqual(only(entityTag(version)), [version]);
  }
});

test('a tag that is no version of this service matches no version', () => {
  const beyond = entityTag(INT64_MAX + 1n);
  for (const tag of [
    beyond,
    '"zzzzzzzzzzzzz"',
    '"00"',
    '"01"',
    '"A1"',
    '"-1"',
    '"+1"',
    '"1.5"',
    '""',
    '" 1"',
    'W/"1"',
  ]) {
    assert.deepEqual(only(tag), [], tag);
  }
  assert.deepEqual(only('"1", W/"2", "x y", "3"'), [1n, 3n]);
});
