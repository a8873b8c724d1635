import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ndjsonLine, readNdjson } from '../../src/transfer/ndjson.ts';
import { plantOfJson } from '../../src/transfer/new-plant.ts';
import { character } from '../harness/character.ts';
import { briefOrLong } from '../harness/long.ts';

/** Reads an input in pieces of a given size. Returns plants and reasons by line. */
async function read(input: Buffer, size: number): Promise<Map<number, unknown>> {
  async function* pieces() {
    for (let at = 0; at < input.length; at += size) yield input.subarray(at, at + size);
  }
  const lines = new Map<number, unknown>();
  for await (const entries of readNdjson(pieces())) for (const { line, ...read } of entries) lines.set(line, read);
  return lines;
}

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: character }),
  // About the longest text, without characters that JSON escapes.
  fc.integer({ min: 1_020, max: 1_030 }).map((length) => '木'.repeat(length)),
);
const id = fc.oneof(
  fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }).map(String),
  fc.bigInt({ min: -20n, max: 20n }).map(String),
  fc.constantFrom('-0', '00', '1.0', '1e3', '9223372036854775808', '-9223372036854775808', '"1"', 'null'),
);
/** A text as JSON, or text that JSON does not permit in a string. */
const json = fc.oneof(
  { arbitrary: text.map((value) => JSON.stringify(value)), weight: 9 },
  fc.constantFrom('"\t"', '"\u001F"', '"\\x"'),
);
const line = fc
  .record({ id, name: json, tag: fc.option(json, { nil: undefined }), space: fc.constantFrom('', ' ', '\t') })
  .map(({ id, name, tag, space }) => {
    const end = tag === undefined ? '' : `,${space}"tag":${space}${tag}`;
    return `{"id":${space}${id},${space}"name":${space}${name}${end}}`;
  });

test('a line is read as the schema requires, with any shape and pieces', async () => {
  const property = fc.asyncProperty(fc.array(line, { maxLength: 8 }), fc.integer({ min: 1, max: 300 }), (lines, size) =>
    read(Buffer.from(lines.join('\n')), size).then((found) => {
      const expected = new Map(lines.map((one, i) => [i + 1, plantOfJson(Buffer.from(one))]));
      assert.deepEqual(found, expected);
    }),
  );
  await fc.assert(property, { numRuns: briefOrLong(100, 300) });
});

test('a byte order mark is not part of the first line, even if another line is not UTF-8', async () => {
  const good = '{"id":1,"name":"a"}\n';
  const input = Buffer.concat([Buffer.from(`\uFEFF${good}`), Buffer.from([0xff, 10]), Buffer.from(`\uFEFF${good}`)]);
  for (const size of [1, 1_000]) {
    const found = await read(input, size);
    assert.deepEqual(found.get(1), { plant: { id: 1n, name: 'a' } });
    assert.match(JSON.stringify([found.get(2), found.get(3)]), /it is not UTF-8.*it begins with a byte order mark/);
  }
});

test('only a line longer than 1 MiB is refused, and a line of spaces is ignored', async () => {
  const padded = (id: number, length: number) => `{"id":${id},"name":"a"}`.padEnd(length);
  const lines = [padded(1, 2 ** 20), padded(2, 2 ** 20 + 1), ' \t\r', padded(4, 0), padded(5, 3 * 2 ** 20)];
  const input = Buffer.from(lines.join('\n'));
  const refused = { reason: 'it is longer than 1048576 bytes' };
  const expected = new Map<number, unknown>([
    [1, { plant: { id: 1n, name: 'a' } }],
    [2, refused],
    [4, { plant: { id: 4n, name: 'a' } }],
    [5, refused],
  ]);
  for (const size of [2 ** 16, input.length]) assert.deepEqual(await read(input, size), expected);
});

test('an import reads the plants that an export wrote', async () => {
  const name = text.filter((value) => value.isWellFormed() && !value.includes('\0') && value.length <= 1_024);
  const plant = fc.record(
    { id: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), name, tag: name },
    { requiredKeys: ['id', 'name'] },
  );
  const property = fc.asyncProperty(plant, async (one) => {
    assert.deepEqual((await read(Buffer.from(ndjsonLine(one)), 1_000)).get(1), { plant: { ...one } });
  });
  await fc.assert(property, { numRuns: briefOrLong(100, 300) });
});
