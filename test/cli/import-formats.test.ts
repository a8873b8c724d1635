import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { openInput } from '../../src/transfer/open-input.ts';
import { createDirectory } from '../harness/directory.ts';
import { PLANTSTORE, refusedWith, runCommand, runHere } from '../harness/process.ts';

const PLANTS = '{"id":1,"name":"Aloe"}\n{"id":2,"name":"Fern"}\n';
const CSV = 'id,name,tag\n1,Aloe,\n';
const ARRAY = '[\n{"id":1,"name":"Aloe"},\n{"id":2,"name":"Fern"},\n{"id":3,"name":"Moss"}\n]\n';

/** A tar archive begins with a header of 512 bytes. */
function tarHeader(): Buffer {
  const header = Buffer.alloc(512);
  header.write('plants.ndjson');
  header.write('ustar', 257);
  return header;
}

const zip = (name: string) => Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), Buffer.alloc(26), Buffer.from(name)]);

/** The file's name, its content, and the message about it. */
const REFUSED: Readonly<Record<string, readonly [name: string, content: string | Buffer, reason: RegExp]>> = {
  'a JSON array with one plant per line': ['plants.json', ARRAY, /is a JSON array.*jq -c '\.\[\]'/],
  'a JSON array in one line': ['plants.json', '[{"id":1,"name":"Aloe"}]', /is a JSON array/],
  'a JSON array after blanks': ['plants.ndjson', '\uFEFF \r\n\t[{"id":1,"name":"Aloe"}]', /is a JSON array/],
  'an empty JSON array': ['plants.ndjson', '[]\n', /is a JSON array/],
  'a JSON array, named CSV': ['plants.csv', ARRAY, /is a JSON array/],
  'JSON with a plant over several lines': [
    'plants.json',
    '{\n  "id": 1,\n  "name": "Aloe"\n}\n',
    /is not NDJSON.*jq -c \./,
  ],
  'JSON with leading commas': ['plants.json', '{ "id": 1\n, "name": "Aloe"\n}\n', /is not NDJSON/],
  'the plants of an array without its brackets': [
    'a.ndjson',
    '{"id":1,"name":"a"},\n{"id":2,"name":"b"}\n',
    /is not NDJSON/,
  ],
  'a module with an array': ['plants.js', 'export default [\n{"id":1,"name":"Aloe"}\n]\n', /is not NDJSON/],
  'a wrapped array': ['plants.json', '{"plants":[\n{"id":1,"name":"Aloe"}\n]}\n', /is not NDJSON/],
  'CSV without its extension': ['plants.txt', CSV, /is CSV.*--format csv/],
  'CSV of a spreadsheet without its extension': ['plants', '"ID";"Name"\r\n1;Aloe\r\n', /is CSV.*--format csv/],
  'NDJSON, named CSV': ['plants.csv', PLANTS, /is JSON.*--format ndjson/],
  'UTF-16': ['plants.ndjson', Buffer.from(`\uFEFF${PLANTS}`, 'utf16le'), /is UTF-16.*iconv -f UTF-16 -t UTF-8/],
  'UTF-16 of the other order': [
    'plants.csv',
    Buffer.from(`\uFEFF${CSV}`, 'utf16le').swap16(),
    /is UTF-16.*iconv -f UTF-16 -t UTF-8/,
  ],
  'UTF-16 without a mark': ['plants.ndjson', Buffer.from(PLANTS, 'utf16le'), /is UTF-16LE.*iconv -f UTF-16LE -t UTF-8/],
  'UTF-16 of the other order without a mark': ['plants.csv', Buffer.from(CSV, 'utf16le').swap16(), /is UTF-16BE/],
  'UTF-32': ['plants.csv', Buffer.from([0xff, 0xfe, 0, 0, 0x69, 0, 0, 0, 0x64, 0, 0, 0]), /is UTF-32/],
  gzip: ['plants.ndjson.gz', gzipSync(PLANTS), /is compressed with gzip.*gzip -dc/],
  bzip2: ['plants.csv', Buffer.from('BZh91AY&SY'), /is compressed with bzip2/],
  xz: ['plants.csv', Buffer.from('\xfd7zXZ\0', 'latin1'), /is compressed with xz/],
  zstd: ['plants.csv', Buffer.from('\x28\xb5\x2f\xfd', 'latin1'), /is compressed with zstd/],
  zip: ['plants.zip', zip('plants.csv'), /is a ZIP archive/],
  '7z': ['plants.csv', Buffer.from('7z\xbc\xaf\x27\x1c', 'latin1'), /is a 7z archive/],
  RAR: ['plants.csv', Buffer.from('Rar!\x1a\x07\0', 'latin1'), /is a RAR archive/],
  tar: ['plants.tar', tarHeader(), /is a tar archive/],
  'Excel, named CSV': ['plants.csv', zip('[Content_Types].xml'), /is a spreadsheet's file.*save it as CSV/],
  Excel: ['plants.xlsx', zip('xl/workbook.xml'), /is a spreadsheet's file/],
  OpenDocument: [
    'plants.ods',
    zip('mimetypeapplication/vnd.oasis.opendocument.spreadsheet'),
    /is a spreadsheet's file/,
  ],
  'an old Excel': ['plants.xls', Buffer.from('d0cf11e0a1b11ae1', 'hex'), /is a spreadsheet's file/],
  'a SQLite database': ['backup.db', 'SQLite format 3\0', /is a SQLite database.*plantstore export/],
  'a dump of PostgreSQL': ['dump', 'PGDMP\x01\x0e', /is a dump of PostgreSQL.*pg_restore/],
  'a page': ['plants.json', '<!doctype html>\n<title>Sign in</title>\n', /is HTML or XML/],
  'another binary file': ['plants.csv', Buffer.from('PAR1\x15\0\x15', 'latin1'), /is not a text/],
};

for (const [what, [name, content, reason]] of Object.entries(REFUSED)) {
  test(`an import recognises ${what} before the first line, and stores nothing`, async () => {
    using directory = createDirectory();
    const file = directory.at(name);
    writeFileSync(file, content);
    refusedWith(await runHere(['import', file, '--database', `sqlite:${directory.at('new.db')}`]), 1, reason);
    assert.deepEqual(readdirSync(directory.path), [name]);
  });
}

test('an import recognises a JSON array from standard input, and creates no database', async () => {
  using directory = createDirectory();
  writeFileSync(directory.at('plants.json'), ARRAY);
  const shell = { command: ['bash', '-c', '"$0" "$@" - <plants.json', PLANTSTORE], cwd: directory.path } as const;
  const refused = await runCommand(['import', '--database', 'sqlite:new.db'], {}, shell);
  refusedWith(refused, 1, /cannot import standard input: it is a JSON array/);
  assert.deepEqual(readdirSync(directory.path), ['plants.json']);
});

test('an import recognises a format in the smallest pieces, and reads NDJSON in them', async () => {
  const piecesOf = (text: string) => Readable.from([...text].map((one) => Buffer.from(one)));
  await assert.rejects(openInput('-', piecesOf(`\n\n${ARRAY}`), 'ndjson'), /is a JSON array/);
  const long = `{"id":3,"name":"Moss","note":"${','.repeat(10_000)}"}\n`;
  for (const text of [PLANTS, `\n \r\n${PLANTS}`, PLANTS.trimEnd(), `${long}${PLANTS}`, '', ' ']) {
    const { batches } = await openInput('-', piecesOf(text), 'ndjson');
    const entries = (await Array.fromAsync(batches)).flat();
    assert.deepEqual(
      entries.map((entry) => 'plant' in entry),
      text.match(/\{/g)?.map(() => true) ?? [],
    );
  }
});

test('an import with a wrong CSV header creates no database', async () => {
  using directory = createDirectory();
  writeFileSync(directory.at('plants.csv'), 'identity,name\n1,Aloe\n');
  const database = `sqlite:${directory.at('new.db')}`;
  assert.equal((await runHere(['import', directory.at('plants.csv'), '--database', database])).code, 1);
  assert.deepEqual(readdirSync(directory.path), ['plants.csv']);
});
