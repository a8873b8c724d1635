import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { plantOfFields, plantOfJson } from '../../src/transfer/new-plant.ts';

test('an id is accepted as a CSV field if it is accepted as a JSON number and has only digits', () => {
  const characters = fc.string({ unit: fc.constantFrom(...'0123456789.eE+-'), minLength: 1, maxLength: 24 });
  const property = fc.property(characters, (id) => {
    const json = plantOfJson(Buffer.from(`{"id":${id},"name":"a"}`));
    const field = plantOfFields(id, 'a', undefined);
    if ('reason' in json || /[.eE]/.test(id)) assert.ok('reason' in field, id);
    else assert.deepEqual(field, json);
  });
  const max = '9223372036854775807';
  const texts = `12.0 -0 1.2e1 ${max}.0 -9223372036854775808 9223372036854775808 1.5 1e400 00 +1 1. .1 -`.split(' ');
  const examples = texts.map((id): [string] => [id]);
  fc.assert(property, { numRuns: 2_000, examples });
});
