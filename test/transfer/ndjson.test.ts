import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { plantAt } from '../../src/plants/plant-columns.ts';
import { ndjsonLine, readNdjson } from '../../src/transfer/ndjson.ts';
import { createNewPlantReader } from '../../src/transfer/new-plant.ts';

const reader = createNewPlantReader();
const BEGIN = { byte: 0, line: 1, digest: undefined };

/** What an import makes of an input that comes in pieces of a size: plants and refusals by line. */
async function read(input: Buffer, size: number): Promise<Map<number, unknown>> {
  async function* pieces() {
    for (let at = 0; at < input.length; at += size) yield input.subarray(at, at + size);
  }
  const lines = new Map<number, unknown>();
  for await (const { plants, lines: numbers, refusals } of readNdjson(pieces(), BEGIN, reader, createHash('sha256'))) {
    for (let i = 0; i < plants.length; i++) lines.set(numbers[i] as number, plantAt(plants, i));
    for (const { line, reason } of refusals) lines.set(line, { refused: reason });
  }
  return lines;
}

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc.string({ minLength: 1_020, maxLength: 1_030 }),
);
const id = fc.oneof(
  fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }).map(String),
  fc.bigInt({ min: -20n, max: 20n }).map(String),
  fc.constantFrom('-0', '00', '1.0', '1e3', '9223372036854775808', '-9223372036854775808', '"1"', 'null'),
);
const line = fc
  .record({ id, name: text, tag: fc.option(text, { nil: undefined }), space: fc.constantFrom('', ' ', '\t') })
  .map(({ id, name, tag, space }) => {
    const end = tag === undefined ? '' : `,${space}"tag":${space}${JSON.stringify(tag)}`;
    return `{"id":${space}${id},${space}"name":${space}${JSON.stringify(name)}${end}}`;
  });

test('whatever its shape and however it comes in pieces, a line means what the schema says', async () => {
  const property = fc.asyncProperty(fc.array(line, { maxLength: 8 }), fc.integer({ min: 1, max: 300 }), (lines, size) =>
    read(Buffer.from(lines.join('\n')), size).then((found) => {
      const expected = new Map(lines.map((one, i) => [i + 1, reader.json(Buffer.from(one))]));
      assert.deepEqual(new Map([...found].sort(([a], [b]) => a - b)), expected);
    }),
  );
  await fc.assert(property, { numRuns: 300 });
});

test('a byte order mark is no part of the first line, also beside a line that is not UTF-8', async () => {
  const good = '{"id":1,"name":"a"}\n';
  const input = Buffer.concat([Buffer.from(`\uFEFF${good}`), Buffer.from([0xff, 10]), Buffer.from(`\uFEFF${good}`)]);
  for (const size of [1, 1_000]) {
    const found = await read(input, size);
    assert.deepEqual(found.get(1), { id: 1n, name: 'a' });
    assert.match(JSON.stringify([found.get(2), found.get(3)]), /it is not UTF-8.*it begins with a byte order mark/);
  }
});

test('what an export writes an import reads as the same plant', async () => {
  const name = text.filter((value) => value.isWellFormed() && !value.includes('\0') && value.length <= 1_024);
  const plant = fc.record(
    { id: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), name, tag: name },
    { requiredKeys: ['id', 'name'] },
  );
  const property = fc.asyncProperty(plant, async (one) => {
    assert.deepEqual((await read(Buffer.from(ndjsonLine(one)), 1_000)).get(1), { ...one });
  });
  await fc.assert(property, { numRuns: 300 });
});
