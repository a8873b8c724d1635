/** Serialisers against JSON.stringify: the same text for everything that it can write, and int64 exactly. */
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Description, parseDescription, readDescription, type Schema } from '../../src/contract/document.ts';
import { compileSerialiser } from '../../src/contract/serialise.ts';

const description: Description = parseDescription(readDescription());
const serialise = compileSerialiser(description, reference('StoredPlant'));

/** With the lengths around which texts are looked through in another way, and everything that takes an escape. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.string({
    unit: fc.constantFrom('"', '\\', '\u0000', '\u001f', '\u007f', '\u2028', '\ud800', '\udc00', 'a', '🌵'),
  }),
);

test('a text is written as JSON.stringify writes it, lone surrogates included', () => {
  fc.assert(
    fc.property(text, text, (name, tag) => {
      equal(serialise({ id: 1n, name, tag }), JSON.stringify({ id: 1, name, tag }));
    }),
    { numRuns: 1_000 },
  );
});

test('int64 is written digit by digit, a page in order, and nothing that the schema does not name', () => {
  const page = compileSerialiser(description, { type: 'array', items: reference('StoredPlant') });
  const plants = [
    { id: -(2n ** 63n), name: '' },
    { id: 2n ** 63n - 1n, name: 'b', tag: 't', version: 7n },
  ];
  equal(page(plants), '[{"id":-9223372036854775808,"name":""},{"id":9223372036854775807,"name":"b","tag":"t"}]');
  deepEqual(JSON.parse(page([])), []);
});

function reference(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` } as Schema;
}
