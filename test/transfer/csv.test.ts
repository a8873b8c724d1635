import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { StartupError } from '../../src/errors.ts';
import { csvRecord, readCsv } from '../../src/transfer/csv.ts';
import { briefOrLong } from '../harness/long.ts';

const MAX_RECORD_BYTES = 2 ** 20;
const COLUMNS = 'it must name its columns, with commas: id, name and, for tags, tag';
const NOT_CSV = 'its quotes are wrong: quote the whole field, and double each quote inside it';

/** Reads an input in pieces of a given size. Returns plants and reasons by line. */
async function read(input: string | Buffer, size = 2 ** 16): Promise<Map<number, unknown>> {
  const bytes = Buffer.from(input);
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const found = new Map<number, unknown>();
  for await (const entries of readCsv(pieces())) {
    for (const entry of entries) {
      assert.ok(!found.has(entry.line), `line ${entry.line} is told twice`);
      found.set(entry.line, 'plant' in entry ? entry.plant : entry.reason);
    }
  }
  return found;
}

/** Returns the plants in the order of their lines, and the refused lines with their reasons. */
async function resultOf(input: string | Buffer, size?: number) {
  const stored: string[] = [];
  const refused: string[] = [];
  for (const [line, what] of await read(input, size)) {
    if (typeof what === 'string') refused.push(`${line}: ${what}`);
    else stored.push(csvRecord(what as Parameters<typeof csvRecord>[0]).trimEnd());
  }
  return { stored, refused };
}

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => `${from + i},p\n`).join('');

for (const [name, input] of Object.entries({
  'LF, then CR LF': 'id,name,tag\n1,Aloe,succulent\r\n2,Fern,shade\r\n',
  'CR LF, then LF': 'id,name,tag\r\n1,Aloe,succulent\n2,Fern,shade\r\n',
  'only CR': 'id,name,tag\r1,Aloe,succulent\r\r2,Fern,shade',
})) {
  test(`line ends are not part of a field: ${name}`, async () => {
    const expected = { stored: ['1,Aloe,succulent', '2,Fern,shade'], refused: [] };
    for (const size of [1, 1_000]) assert.deepEqual(await resultOf(input, size), expected);
  });
}

test('wrong quotes only affect their own line', async () => {
  assert.deepEqual(await resultOf('id,name,tag\n1,a,x\n2,"un"q,x\n3,c,x\n4,"d",x\n5,e"e,x\n6,f,x\n'), {
    stored: ['1,a,x', '3,c,x', '4,d,x', '6,f,x'],
    refused: [`3: ${NOT_CSV}`, `6: ${NOT_CSV}`],
  });
});

test('a line that is too long only affects itself, wherever the input is divided', async () => {
  for (const long of ['x'.repeat(MAX_RECORD_BYTES), `"${'x'.repeat(3 * MAX_RECORD_BYTES)}"`]) {
    const input = `id,name\n1,${long}\n${numbered(2, 20_001)}`;
    for (const size of [20_094, 2 ** 16, input.length]) {
      const { stored, refused } = await resultOf(input, size);
      assert.deepEqual([stored.length, refused], [20_000, ['2: the record is longer than 1048576 bytes']]);
    }
  }
});

test('a record of 1 MiB is read, and a longer one is refused', async () => {
  const header = 'id,name,note\n';
  for (const [begin, end] of [
    ['1,a,"', '"\n'],
    ['1,a,"', '"'],
    ['1,a,"two\nlines', '"'],
  ] as const) {
    const record = (bytes: number) => begin + 'x'.repeat(bytes - begin.length - end.length) + end;
    for (const size of [2 ** 16, 2 * MAX_RECORD_BYTES]) {
      const longest = await resultOf(header + record(MAX_RECORD_BYTES), size);
      assert.deepEqual(longest, { stored: ['1,a,'], refused: [] });
      assert.deepEqual((await resultOf(header + record(MAX_RECORD_BYTES + 1), size)).stored, []);
    }
  }
});

test('only the line with a quote that is never closed is refused, and the lines after it are read', async () => {
  for (const [count, where] of [
    [2_000, 'before the end of the input'],
    [200_000, 'within 1048576 bytes'],
  ] as const) {
    const { stored, refused } = await resultOf(`id,name\n${numbered(1, 10)}11,"open\n${numbered(12, count)}`);
    assert.deepEqual([stored.length, refused], [count - 1, [`12: a quote is not closed ${where}`]]);
  }
});

test('a record of several lines is reported by its first line, and a refused one also by its last', async () => {
  const text = Buffer.from('id,name\n\n1,"two\r\nlines"\n"x\n\ny",a\n2,b\n3,"\n\xff"\n', 'latin1');
  const found = await read(text);
  assert.deepEqual([...found.keys()], [3, 5, 8, 9]);
  assert.equal(found.get(9), 'it is not UTF-8 (the record continues to line 10)');
  assert.match(String(found.get(5)), /^id must be an integer .* \(the record continues to line 7\)$/);
});

test('only a record that is not UTF-8 is refused', async () => {
  const input = Buffer.from('id,name\n1,a\n2,\xff\n3,\xc3\xa9\n', 'latin1');
  for (const size of [1, 1_000]) {
    assert.deepEqual(await resultOf(input, size), { stored: ['1,a,', '3,é,'], refused: ['3: it is not UTF-8'] });
  }
});

test('an invalid header ends the import with the reason', async () => {
  const unreadable = new StartupError(`the first line of the CSV cannot be read: ${NOT_CSV}; ${COLUMNS}`);
  await assert.rejects(read('id,"na"me\n1,a\n'), unreadable);
  await assert.rejects(read(Buffer.from('\uFEFFid,name\n1,a\n', 'utf16le')), /cannot be read: it is not UTF-8; /);
  for (const header of ['1,a', 'id,tag', 'name,tag', 'id;name;tag']) {
    await assert.rejects(read(`${header}\n1,a\n`), /must name its columns, with commas/);
  }
  await assert.rejects(read('id,name,tag,note,tag\n1,a,,,b\n'), /names tag more than once; /);
});

test('a header may differ in case and have blanks around its names', async () => {
  const stored = ['1,Aloe,succulent'];
  for (const header of ['ID,Name,TAG', 'id, name, tag', ' Id\t,"NAME ", tag\u00a0', '\uFEFF"ID","name",Tag']) {
    assert.deepEqual(await resultOf(`${header}\n1,Aloe,succulent\n`), { stored, refused: [] }, header);
  }
  await assert.rejects(read('id,name,ID\n1,a,2\n'), /names id more than once; /);
  await assert.rejects(read('id,name,tag, Tag\n1,a,,\n'), /names tag more than once; /);
});

for (const [cause, headers] of Object.entries({
  'separates its columns with tabs, not commas': ['id\tname\ttag', 'ID\tName', '"id"\t"name"'],
  'separates its columns with semicolons, not commas': ['id;name;tag', '"id";"name"'],
  'separates its columns with |, not commas': ['id|name'],
  'is an instruction for a spreadsheet, not a header: remove the line': ['sep=,', 'SEP=;', '"sep=\t"', 'sep=,,'],
  'is a plant, not a header': ['1,a', '-5,Fern,shade', '"1.23457E+17",Aloe'],
  'has no column id': ['name,tag', 'no,name'],
  'has no column name': ['id,tag', 'id'],
  'has no columns id and name': ['nr,title', 'x'],
})) {
  test(`the message about a wrong CSV header has the cause: it ${cause}`, async () => {
    const message = `the first line of the CSV ${cause}; ${COLUMNS}`;
    for (const header of headers) await assert.rejects(read(`${header}\n1,a\n`), new StartupError(message), header);
  });
}

test('a row without any text is skipped, before the header too', async () => {
  const input = ',,,\n  \nid,name,tag\n1,Aloe,\n,,\n,,,,,\n \t\n"",""," "\n\u00a0,\n2,Fern,\n,,';
  for (const size of [1, 1_000]) {
    assert.deepEqual(await resultOf(input, size), { stored: ['1,Aloe,', '2,Fern,'], refused: [] });
  }
  assert.deepEqual((await resultOf('id,name,tag\n,,shade\n')).refused.length, 1);
});

test('an id in CSV is digits, so an id that a spreadsheet changed is refused', async () => {
  const ids = ['1.23457E+17', '1.5', '12.0', '1e2', '1E2', '+5', '007', ' 5', '5 ', '"1,234"', '1 234', '0x10', '٣'];
  const { stored, refused } = await resultOf(`id,name\n${ids.map((id) => `${id},a\n`).join('')}9,b\n-9,c\n0,d\n`);
  assert.deepEqual(stored, ['9,b,', '-9,c,', '0,d,']);
  assert.equal(refused.length, ids.length);
  for (const one of refused) {
    assert.match(
      one,
      /: id must be an integer .*; in CSV an id is digits only: a spreadsheet may have changed this one$/,
    );
  }
});

const text = fc
  .string({
    unit: fc.oneof(fc.constantFrom('"', ',', '\r', '\n', '\r\n', ' '), fc.string({ unit: 'grapheme', maxLength: 1 })),
  })
  .filter((value) => value.isWellFormed() && !value.includes('\0'));
const plant = fc.record(
  { id: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), name: text, tag: text },
  { requiredKeys: ['id', 'name'] },
);
/** A record without its line end, and its plant. An empty line has no plant. */
const record = fc.oneof(
  plant.map((one) => ({ text: csvRecord(one).slice(0, -2), is: { ...one } as unknown })),
  fc.constantFrom(
    { text: '', is: undefined },
    { text: '5,a"b', is: NOT_CSV },
    { text: '5,"a"b', is: NOT_CSV },
    { text: '5,a,,', is: 'it has more fields than the header' },
  ),
);
const lineEnds = (value: string) => value.match(/\r\n|\r|\n/g)?.length ?? 0;

test('each record is read as the plant that was written, with any fields, line ends and pieces', async () => {
  const records = fc.array(fc.record({ record, end: fc.constantFrom('\n', '\r\n') }), { maxLength: 8 });
  const property = fc.asyncProperty(records, fc.integer({ min: 1, max: 99 }), async (all, size) => {
    let input = '\uFEFFid,name,tag\n';
    const expected = new Map<number, unknown>();
    for (const { record, end } of all) {
      if (record.is !== undefined) expected.set(1 + lineEnds(input), record.is);
      input += record.text + end;
    }
    assert.deepEqual(await read(input, size), expected);
  });
  await fc.assert(property, { numRuns: briefOrLong(150, 500) });
});
