/**
 * Recognises an import's input that is neither NDJSON nor CSV in UTF-8, before its first line is read. An import that
 * read such an input line by line would lose plants. For example, in a JSON array with one plant per line, a comma is
 * behind every plant except the last, so only the last plant would be stored.
 */
import { StartupError } from '../errors.ts';

export type Format = 'ndjson' | 'csv';

/** The maximum number of bytes to wait for, if the input comes in small pieces. */
const ENOUGH = 4_096;
/** The first line that is not empty, if its end has arrived. `^` keeps the search linear. */
const WHOLE_LINE = /^\s*(\S[^\r\n]*)[\r\n]/;
const LINE_END = Buffer.from('\n');

/** Yields the pieces of the input. Throws a StartupError that names the format if it is wrong, and says what to do. */
export async function* recognise(input: AsyncIterable<Buffer>, name: string, format: Format): AsyncGenerator<Buffer> {
  let head = Buffer.alloc(0);
  let isRecognised = false;
  for await (const piece of input) {
    if (isRecognised) {
      yield piece;
      continue;
    }
    head = Buffer.concat([head, piece]);
    if (head.length < ENOUGH && !WHOLE_LINE.test(head.toString('latin1'))) continue;
    refuseOthers(head, name, format);
    isRecognised = true;
    yield head;
  }
  if (isRecognised) return;
  refuseOthers(Buffer.concat([head, LINE_END]), name, format);
  yield head;
}

const SPREADSHEET = "it is a spreadsheet's file; open it and save it as CSV in UTF-8";
const archive = (what: string) => `it is a ${what} archive; unpack it, and import the file in it`;
const compressed = (program: string) => `it is compressed with ${program}; try ${program} -dc FILE > NEWFILE`;
const encoded = (name: string) => `it is ${name}, not UTF-8; try iconv -f ${name} -t UTF-8 FILE > NEWFILE`;

/** How the files of other formats begin, with one character for each byte. The first that matches counts. */
const BEGINNINGS: readonly (readonly [beginning: RegExp, reason: string])[] = [
  [/^PK\x03\x04.{26}(?:\[Content_Types\]|_rels\/|docProps\/|xl\/|mimetypeapplication\/vnd\.oasis)/s, SPREADSHEET],
  [/^\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1/, SPREADSHEET],
  [/^PK(?:\x03\x04|\x05\x06|\x07\x08)/, archive('ZIP')],
  [/^7z\xbc\xaf\x27\x1c/, archive('7z')],
  [/^Rar!\x1a\x07/, archive('RAR')],
  [/^.{257}ustar/s, archive('tar')],
  [/^\x1f\x8b/, compressed('gzip')],
  [/^BZh[1-9]/, compressed('bzip2')],
  [/^\xfd7zXZ\0/, compressed('xz')],
  [/^\x28\xb5\x2f\xfd/, compressed('zstd')],
  [/^\x04\x22\x4d\x18/, compressed('lz4')],
  [/^SQLite format 3\0/, 'it is a SQLite database; try plantstore export --database sqlite:FILE > NEWFILE.ndjson'],
  [/^PGDMP/, 'it is a dump of PostgreSQL; restore it with pg_restore'],
  [/^(?:\xff\xfe\0\0|\0\0\xfe\xff)/, encoded('UTF-32')],
  [/^(?:\xff\xfe|\xfe\xff)/, encoded('UTF-16')],
  [/^[^\0]\0[^\0]\0/, encoded('UTF-16LE')],
  [/^\0[^\0]\0[^\0]/, encoded('UTF-16BE')],
  [/^\s*</, 'it is HTML or XML; an import reads only NDJSON and CSV'],
  [
    /^\s*\[/,
    'it is a JSON array; remove its brackets and commas, for example with jq 1.7 or later, which keeps long ids' +
      ": jq -c '.[]' FILE > NEWFILE.ndjson",
  ],
  // A line feed is a legal part of a field, but a NUL is not.
  [/^(?!\s*\{)[^\r\n]*\0/, 'it is not a text; an import reads only NDJSON and CSV'],
];

const NOT_NDJSON =
  'it is not NDJSON: its first line is not a whole plant; put each plant on one line, without commas between plants, ' +
  'for example with jq 1.7 or later, which keeps long ids: jq -c . FILE > NEWFILE.ndjson';

const CSV_NAMED_OTHERWISE = 'it is CSV, not NDJSON; name the file .csv, or import it with --format csv';

/** The first lines of other inputs. */
const FIRST_LINES: Readonly<Record<Format, typeof BEGINNINGS>> = {
  csv: [[/^\{/, 'it is JSON, not CSV; name the file .ndjson, or import it with --format ndjson']],
  ndjson: [
    [/^(?:[^{,;\t|]*[,;\t|])*\s*"?id"?\s*(?:[,;\t|]|$)/i, CSV_NAMED_OTHERWISE],
    [/^"?sep=/i, CSV_NAMED_OTHERWISE],
    [/^\{[^}]*$/, NOT_NDJSON],
    [/,\s*$/, 'it is not NDJSON: a comma ends its first line; remove the commas between the plants'],
    [/[[{]\s*$/, NOT_NDJSON],
  ],
};

/** Ignores a first line that is longer than `head`: the first lines of other formats are shorter. */
function refuseOthers(head: Buffer, name: string, format: Format): void {
  const text = head.toString('latin1').replace(/^\xef\xbb\xbf/, '');
  const firstLine = WHOLE_LINE.exec(text)?.[1] ?? '';
  const reason =
    BEGINNINGS.find(([beginning]) => beginning.test(text))?.[1] ??
    FIRST_LINES[format].find(([beginning]) => beginning.test(firstLine))?.[1];
  if (reason !== undefined) throw new StartupError(`cannot import ${name}: ${reason}`);
}
