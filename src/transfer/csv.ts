/** CSV (RFC 4180): a header that names the columns, then one plant a record. */
import { isUtf8 } from 'node:buffer';
import { StartupError } from '../errors.ts';
import type { StoredPlant } from '../plants/plant.ts';
import { type Line, MAX_BYTES, readLines } from './lines.ts';
import { type Entry, type ParsedPlant, plantOfFields } from './new-plant.ts';

export const CSV_HEADER = 'id,name,tag\r\n';

const TOO_LONG = `the record is longer than ${MAX_BYTES} bytes`;
const NOT_CLOSED = `a quote is not closed, or not within ${MAX_BYTES} bytes`;
const MISPLACED = 'its quotes are wrong: a field is quoted as a whole, and a quote inside it is doubled';

/** `lastLine` is another than `line` where a quoted field spans lines. A field without quotes and content is undefined. */
type CsvRecord = { readonly line: number; readonly lastLine: number } & (
  | { readonly fields: readonly (string | undefined)[] }
  | { readonly reason: string }
);

/** A CR at the end of a piece may be half of CR LF. */
const LINE_END = /\r\n|\n|\r(?!$)/g;

/** Yields the entries of each piece of the input. A field without quotes and content is an absent one; `""` is empty. */
export async function* readCsv(input: AsyncIterable<Buffer>): AsyncGenerator<readonly Entry[]> {
  const splitter = new Splitter();
  let columns: Columns | undefined;
  const entriesOf = (records: readonly CsvRecord[]) => {
    const entries: Entry[] = [];
    for (const record of records) {
      if (columns === undefined) columns = columnsOf(record);
      else entries.push({ line: record.line, ...plantOf(record, columns) });
    }
    return entries;
  };
  for await (const lines of readLines(input, LINE_END)) yield entriesOf(lines.flatMap((line) => splitter.add(line)));
  yield entriesOf(splitter.end());
}

/** Makes records of lines. A bad one costs only the line that it begins with: the next line begins another. */
class Splitter {
  #lines: Line[] = [];
  #text = '';
  #length = 0;
  /** An odd number of quotes so far: the record goes on in the next line. */
  #isOpen = false;

  /** Takes the next line; the records that end with it. */
  add(line: Line): readonly CsvRecord[] {
    const text = line.bytes.toString();
    if (this.#lines.length === 0 && /^\r?\n?$/.test(text)) return [];
    this.#lines.push(line);
    this.#text += text;
    this.#length += line.bytes.length;
    if (text.split('"').length % 2 === 0) this.#isOpen = !this.#isOpen;
    return this.#isOpen && this.#length <= MAX_BYTES ? [] : this.end();
  }

  /** The records of the lines so far, with which the last one ends. */
  end(): readonly CsvRecord[] {
    const lines = this.#lines;
    const [first] = lines;
    if (first === undefined) return [];
    const record = this.#record(first);
    [this.#lines, this.#text, this.#length, this.#isOpen] = [[], '', 0, false];
    return [record, ...lines.filter(({ line }) => line > record.lastLine).flatMap((line) => this.add(line))];
  }

  /** A record of all lines, or why the first one begins none. */
  #record({ line, bytes }: Line): CsvRecord {
    const refused = (reason: string) => ({ line, lastLine: line, reason });
    if (bytes.length > MAX_BYTES) return refused(TOO_LONG);
    const fields = fieldsOf(this.#isOpen ? `${this.#text}"` : this.#text);
    if (fields === undefined) return refused(MISPLACED);
    if (this.#isOpen || this.#length > MAX_BYTES) return refused(NOT_CLOSED);
    const lastLine = line + this.#lines.length - 1;
    if (this.#lines.every((one) => isUtf8(one.bytes))) return { line, lastLine, fields };
    return { line, lastLine, reason: 'it is not UTF-8' };
  }
}

/** A field, quoted or not, and what is behind it. */
const FIELD = /(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n]*))(,|[\r\n]|$)/y;

/** The fields of a record, which may have its line end; undefined where its quotes are not those of CSV. */
function fieldsOf(record: string): readonly (string | undefined)[] | undefined {
  const fields: (string | undefined)[] = [];
  FIELD.lastIndex = 0;
  for (;;) {
    const found = FIELD.exec(record);
    if (found === null) return undefined;
    const [, quoted, plain, next] = found;
    fields.push(quoted?.replaceAll('""', '"') ?? (plain || undefined));
    if (next !== ',') return fields;
  }
}

function plantOf(record: CsvRecord, columns: Columns): ParsedPlant {
  const read = readPlant(record, columns);
  // A quote too many can make one record of many lines, which are all refused with it.
  if ('plant' in read || record.lastLine === record.line) return read;
  return { reason: `${read.reason} (the record goes on to line ${record.lastLine})` };
}

function readPlant(record: CsvRecord, { id, name, tag, count }: Columns): ParsedPlant {
  if ('reason' in record) return record;
  const { fields } = record;
  if (fields.length > count) return { reason: 'it has more fields than the header' };
  return plantOfFields(fields[id], fields[name], fields[tag]);
}

interface Columns {
  readonly id: number;
  readonly name: number;
  readonly tag: number;
  readonly count: number;
}

function columnsOf(header: CsvRecord): Columns {
  if ('reason' in header) throw new StartupError(`the first line of the CSV cannot be read: ${header.reason}`);
  const [id = -1, name = -1, tag = -1] = ['id', 'name', 'tag'].map((column) => {
    const at = header.fields.indexOf(column);
    if (at === header.fields.lastIndexOf(column)) return at;
    throw new StartupError(`the first line of the CSV names ${column} more than once`);
  });
  if (id !== -1 && name !== -1) return { id, name, tag, count: header.fields.length };
  throw new StartupError('the first line of the CSV must name its columns, with commas: id, name and, for tags, tag');
}

/** A plant as its record. */
export function csvRecord({ id, name, tag }: StoredPlant): string {
  return `${id},${field(name)},${tag === undefined ? '' : field(tag)}\r\n`;
}

function field(text: string): string {
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
