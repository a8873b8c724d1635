/** Schemas as values: which integer a text means, and what they read, refuse and write. Ajv judges the same bodies. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { parse } from 'yaml';
import { parseJson } from '../../src/contract/json.ts';
import { NewPlant, StoredPlant } from '../../src/contract/openapi.generated.ts';
import {
  array,
  int64,
  integer,
  integerOfText,
  nullable,
  object,
  oneOf,
  optional,
  type Schema,
  text,
  variants,
} from '../../src/contract/schema.ts';
import { character } from '../harness/character.ts';

const wide = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });

test('every int64 is read exactly, in plain notation, with a zero fraction and with any exponent', () => {
  fc.assert(
    fc.property(wide, fc.integer({ min: 0, max: 40 }), (value, zeros) => {
      assert.equal(integerOfText(`${value}`), value);
      assert.equal(integerOfText(`${value}.${'0'.repeat(zeros + 1)}`), value);
      assert.equal(integerOfText(`${value}${'0'.repeat(zeros)}e-${zeros}`), value);
      assert.equal(int64().readText(`${value}`, 'id', []), value);
    }),
  );
});

test('a number with a fraction is not an integer, however small the fraction is', () => {
  fc.assert(
    fc.property(wide, fc.integer({ min: 0, max: 60 }), (value, zeros) => {
      assert.equal(integerOfText(`${value}.${'0'.repeat(zeros)}1`), undefined);
    }),
  );
});

test('huge exponents are read correctly and fast', () => {
  for (const text of ['1e400', '1e999999999', '1e-999999999', '1e-1', `1e${'9'.repeat(400)}`]) {
    assert.equal(integerOfText(text), undefined, text);
  }
  for (const text of ['0e999999999', '-0', '0.0e-5']) assert.equal(integerOfText(text), 0n, text);
});

test('millions of zeros are read correctly and fast, in any place', () => {
  const zeros = '0'.repeat(5_000_000);
  // In quadratic time these would take hours.
  for (const text of [`1.${zeros}1`, `1${zeros}1`, `1${zeros}`, `0.${zeros}1`]) {
    assert.equal(integerOfText(text), undefined);
  }
  for (const text of [`1.${zeros}`, `${zeros}1`, `0.${zeros}1e5000001`]) assert.equal(integerOfText(text), 1n);
});

test('a parameter accepts only one notation of an integer', () => {
  for (const text of ['+1', '01', '-0', '-01', '1.0', '1e1', '', '-', ' 1', '1 ', '0x1', '١', '9'.repeat(21)]) {
    assert.equal(int64().readText(text, 'id', []), undefined, text);
  }
});

/** Returns what a schema reads from JSON text, or the errors. */
function read<T>(schema: Schema<T>, source: string): T | undefined | string[] {
  const json = parseJson(Buffer.from(source));
  assert.ok(!('error' in json));
  const errors: string[] = [];
  const value = schema.read(json.value, json.written, '', errors);
  return errors.length > 0 ? errors : value;
}

const MANY = text({ rule: 'a string' });
const RANGE = 'an integer from -9223372036854775808 to 9223372036854775807';

test('int64 in a list is exact, and unknown members of its objects are left out', () => {
  const plants = array(object({ id: optional(int64()), ids: optional(array(int64())) }));
  const body = '[{"id": 9223372036854775807, "more": 1}, {"ids": [1, 9007199254740993, 2.0], "id": -7}]';
  assert.deepEqual(read(plants, body), [{ id: 9223372036854775807n }, { ids: [1n, 9007199254740993n, 2n], id: -7n }]);
});

const REFUSED: readonly (readonly [schema: Schema<unknown>, source: string, errors: readonly string[]])[] = [
  [object({ a: MANY, b: int64() }), '{"b": "x"}', ['a is missing and must be a string', `b must be ${RANGE}`]],
  [object({ a: MANY }), '7', ['the body must be an object']],
  [object({ a: MANY }), 'null', ['the body must be an object']],
  [object({ ids: array(int64()) }), '{"ids": 7}', ['ids must be an array']],
  [object({ ids: array(int64(), 1) }), '{"ids": [1, 2]}', ['ids must have at most 1 items']],
  [array(int64()), '[1, 9223372036854775808, 3, "4"]', [`1 must be ${RANGE}`, `3 must be ${RANGE}`]],
  [object({ pot: object({ of: MANY }) }), '{"pot": {}}', ['pot.of is missing and must be a string']],
  [object({ 'w/h~1d': MANY }), '{"w/h~1d": 1}', ['w/h~1d must be a string']],
  [
    object({ pot: object({ of: MANY, to: optional(MANY) }, { isClosed: true }) }),
    '{"pot": {"of": "", "two": 1, "three": 1}}',
    ['pot.two is unknown; the members are of, to'],
  ],
  [
    object({ a: MANY }, { isClosed: true }),
    '{"__proto__": 1}',
    ['a is missing and must be a string', '__proto__ is unknown; the members are a'],
  ],
  [object({}, { isClosed: true }), `{"${'x'.repeat(61)}": 1}`, [`${'x'.repeat(60)}… is unknown; the members are `]],
  [integer(0, 9), '10', ['the body must be an integer from 0 to 9']],
  [integer(0, 9), '2.00000000000000000001', ['the body must be an integer from 0 to 9']],
  [MANY, String.raw`"\ud800"`, ['the body must be a string']],
  [text({ minLength: 2, rule: 'long' }), '"🌵"', ['the body must be long']],
  [text({ maxLength: 1, pattern: /^a/u, rule: 'short' }), '"bb"', ['the body must be short']],
];

for (const [schema, source, errors] of REFUSED) {
  test(`${source} is refused: ${errors.join('; ')}`, () => assert.deepEqual(read(schema, source), errors));
}

test('characters are counted as code points', () => {
  assert.equal(read(text({ minLength: 2, maxLength: 2, rule: 'two' }), '"🌵🌵"'), '🌵🌵');
});

test('an integer of any width is read exactly', () => {
  assert.equal(read(integer(0, 9), '20e-1'), 2);
});

test('a list of numbers that need their source text is read in linear time', () => {
  // This would take minutes if each number parsed the text again.
  const found = read(array(int64()), `[${'1.0,'.repeat(100_000)}1.0]`);
  assert.equal(found?.length, 100_001);
});

test('a text with an enum must be exactly one of its words, and the error names all of them', () => {
  const schema = oneOf('none', 'garden');
  const errors: string[] = [];
  assert.deepEqual([schema.readText('garden', 'plants', errors), read(schema, '"none"')], ['garden', 'none']);
  for (const one of ['gardens', '', 'None', 'constructor']) schema.readText(one, 'plants', errors);
  schema.read(1, undefined, 'plants', errors);
  assert.deepEqual(errors, Array(5).fill('plants must be one of none, garden'));
  assert.equal(schema.write('none'), '"none"');
});

test('the error for a parameter that is no plain integer explains the notation', () => {
  const errors: string[] = [];
  for (const one of ['1001', '1.0']) assert.equal(integer(1, 1000).readText(one, 'limit', errors), undefined);
  const rule = 'limit must be an integer from 1 to 1000 in plain decimal notation';
  assert.deepEqual(errors, [rule, rule]);
});

const { components } = parse(readFileSync(new URL('../../contract/openapi.yaml', import.meta.url), 'utf8'));
// Ajv compares int64 bounds as doubles and accepts unpaired surrogates, so the bodies contain neither edge.
const judge = new Ajv2020({ strict: false, formats: { int64: true } });
judge.addSchema({ components }, 'openapi');
const valid = judge.getSchema('openapi#/components/schemas/NewPlant');

test('Ajv accepts and refuses the same new plants', () => {
  const word = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 8 }),
    fc.constantFrom('', '\0', 'a\0', 'x'.repeat(1024), 'x'.repeat(1025), '🌵'.repeat(1024), '🌵'.repeat(1025)),
  );
  const value = fc.oneof(word, fc.integer(), fc.double({ noNaN: true }), fc.constantFrom(null, true, [], {}, -0, 12.5));
  const member = (good: fc.Arbitrary<unknown>) => fc.oneof({ weight: 3, arbitrary: good }, value);
  const plant = fc.record(
    { id: member(fc.maxSafeInteger()), name: member(word), tag: member(word), more: value },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.oneof({ weight: 9, arbitrary: plant }, value), (body) => {
      const source = JSON.stringify(body);
      const expected = valid?.(JSON.parse(source));
      const json = parseJson(Buffer.from(source));
      assert.ok(!('error' in json));
      const errors: string[] = [];
      NewPlant.read(json.value, json.written, '', errors);
      assert.equal(errors.length === 0, expected, `${source} ${errors}`);
    }),
    { numRuns: 2_000 },
  );
});

/** Texts with lengths around the length at which the search changes, and with all characters that need an escape. */
const written = fc.oneof(
  fc.string({ unit: character, maxLength: 80 }),
  fc.string({
    unit: fc.constantFrom('"', '\\', '\u0000', '\u001f', '\u007f', '\u2028', '\ud800', '\udc00', 'a', '🌵'),
  }),
);

test('writing a text gives the same result as JSON.stringify', () => {
  fc.assert(
    fc.property(written, written, (name, tag) => {
      assert.equal(StoredPlant.write({ id: 1n, name, tag }), JSON.stringify({ id: 1, name, tag }));
    }),
    { numRuns: 1_000 },
  );
});

test('writing keeps every digit of an int64 and the order of a page, and adds nothing beyond the schema', () => {
  const page = array(StoredPlant);
  const second = { id: 2n ** 63n - 1n, name: 'b', tag: 't', version: 7n };
  const text = page.write([{ id: -(2n ** 63n), name: '' }, second]);
  assert.equal(text, '[{"id":-9223372036854775808,"name":""},{"id":9223372036854775807,"name":"b","tag":"t"}]');
  assert.equal(page.write([]), '[]');
});

test('a member may have any name, and a member that is absent leaves no comma', () => {
  const name = fc.oneof(
    fc.string({ unit: character }),
    fc.constantFrom('"', '\\', '`${', '\u2028', '*/', "');", 'a b'),
  );
  const names = fc.uniqueArray(name, { maxLength: 5 }).filter((list) => list.every((one) => !(one in {})));
  fc.assert(
    fc.property(names, fc.infiniteStream(fc.boolean()), (list, isPresent) => {
      const members = Object.fromEntries(list.map((one) => [one, optional(integer(0, 9))]));
      const value = Object.fromEntries(list.filter(() => isPresent.next().value).map((one) => [one, 1]));
      // The texts are compared, since JSON.parse of Node 26.10 sometimes reads the name "\"" as "\\".
      assert.equal(object(members).write({ ...value, 'not in the schema': 2 }), JSON.stringify(value));
    }),
  );
});

test('null is read and written where it is allowed', () => {
  const schema = nullable(int64(1n));
  const errors: string[] = [];
  assert.equal(schema.read(null, undefined, 'it', errors), null);
  assert.equal(schema.read(7, undefined, 'it', errors), 7n);
  assert.deepEqual([schema.write(null), schema.write(7n), errors], ['null', '7', []]);
  schema.read(0, undefined, 'it', errors);
  assert.match(String(errors), /^it must be an integer from 1 to/);
});

test('a member decides which of several objects is read and written', () => {
  const schema = variants('kind', {
    rain: object({ kind: oneOf('rain'), drops: integer(0, 9) }),
    sun: object({ kind: oneOf('sun') }),
  });
  const errors: string[] = [];
  assert.deepEqual(schema.read({ kind: 'rain', drops: 3 }, undefined, '', errors), { kind: 'rain', drops: 3 });
  assert.deepEqual(schema.read({ kind: 'sun', drops: 3 }, undefined, '', errors), { kind: 'sun' });
  assert.equal(schema.write({ kind: 'rain', drops: 3 }), '{"kind":"rain","drops":3}');
  assert.deepEqual(errors, []);
  for (const value of [{ kind: 'snow' }, { drops: 3 }, 'rain', null, { kind: 'constructor' }]) {
    assert.equal(schema.read(value, undefined, 'it', errors), undefined);
    assert.equal(errors.pop(), 'it must be an object whose kind is one of rain, sun');
  }
  assert.throws(() => schema.write({ kind: 'snow' } as never), /must be an object whose kind/);
});
