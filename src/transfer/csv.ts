/** CSV (RFC 4180): a header names the columns, and each record is a plant. */
import { isUtf8 } from 'node:buffer';
import { StartupError } from '../errors.ts';
import type { StoredPlant } from '../plants/plant.ts';
import { type Line, MAX_BYTES, readLines } from './lines.ts';
import { type Entry, isDigits, type ParsedPlant, plantOfFields } from './new-plant.ts';

export const CSV_HEADER = 'id,name,tag\r\n';

const TOO_LONG = `the record is longer than ${MAX_BYTES} bytes`;
const CUT_OFF = 'a quote is not closed before the end of the input';
const NOT_CLOSED = `a quote is not closed within ${MAX_BYTES} bytes`;
const MISPLACED = 'its quotes are wrong: quote the whole field, and double each quote inside it';

/** `lastLine` is after `line` if a quoted field spans lines. An empty field without quotes is undefined. */
type CsvRecord = { readonly line: number; readonly lastLine: number } & (
  | { readonly fields: readonly (string | undefined)[] }
  | { readonly reason: string; readonly text?: string }
);

/** A CR at the end of a piece may be the first half of CR LF. */
const LINE_END = /\r\n|\n|\r(?!$)/g;

/**
 * Yields the entries of each piece of the input. An empty field without quotes is absent. `""` is the empty text. Rows
 * without any text are skipped.
 */
export async function* readCsv(input: AsyncIterable<Buffer>): AsyncGenerator<readonly Entry[]> {
  const splitter = new Splitter();
  let columns: Columns | undefined;
  const entriesOf = (records: readonly CsvRecord[]) => {
    const entries: Entry[] = [];
    for (const record of records) {
      if (isBlank(record)) continue;
      if (columns === undefined) columns = columnsOf(record);
      else entries.push({ line: record.line, ...plantOf(record, columns) });
    }
    return entries;
  };
  for await (const lines of readLines(input, LINE_END)) yield entriesOf(lines.flatMap((line) => splitter.add(line)));
  yield entriesOf(splitter.end());
}

/** Combines lines into records. A bad record loses only its first line: the next line begins a new record. */
class Splitter {
  #lines: Line[] = [];
  #text = '';
  #length = 0;
  /** Whether the record continues in the next line, since the number of its quotes is odd so far. */
  #isOpen = false;

  /** Takes the next line. Returns the records that end with it. */
  add(line: Line): readonly CsvRecord[] {
    const text = line.bytes.toString();
    if (this.#lines.length === 0 && /^\r?\n?$/.test(text)) return [];
    this.#lines.push(line);
    this.#text += text;
    this.#length += line.bytes.length;
    if (text.split('"').length % 2 === 0) this.#isOpen = !this.#isOpen;
    return this.#isOpen && this.#length <= MAX_BYTES ? [] : this.end();
  }

  /** Ends the last record. Returns the records of the lines so far. */
  end(): readonly CsvRecord[] {
    const lines = this.#lines;
    const [first] = lines;
    if (first === undefined) return [];
    const record = this.#record(first);
    [this.#lines, this.#text, this.#length, this.#isOpen] = [[], '', 0, false];
    return [record, ...lines.filter(({ line }) => line > record.lastLine).flatMap((line) => this.add(line))];
  }

  /** Returns the record of all lines, or the reason why the first line begins no record. */
  #record({ line, bytes }: Line): CsvRecord {
    const refused = (reason: string) => ({ line, lastLine: line, reason });
    if (bytes.length > MAX_BYTES) return refused(TOO_LONG);
    // An open record is read with a quote at its end: if its other quotes are right, only that one is missing.
    const fields = fieldsOf(this.#isOpen ? `${this.#text}"` : this.#text);
    if (fields === undefined) return { ...refused(MISPLACED), text: this.#text };
    if (this.#length > MAX_BYTES) return refused(NOT_CLOSED);
    if (this.#isOpen) return refused(CUT_OFF);
    const lastLine = line + this.#lines.length - 1;
    if (this.#lines.every((one) => isUtf8(one.bytes))) return { line, lastLine, fields };
    return { line, lastLine, reason: 'it is not UTF-8' };
  }
}

/** A field, quoted or not, and what follows it. */
const FIELD = /(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n]*))(,|[\r\n]|$)/y;

/** Splits a record, with or without its line end, into fields. Returns undefined if its quotes are wrong. */
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
  // An extra quote can combine many lines into one record, which is refused as a whole.
  if ('plant' in read || record.lastLine === record.line) return read;
  return { reason: `${read.reason} (the record continues to line ${record.lastLine})` };
}

function readPlant(record: CsvRecord, { id, name, tag, count }: Columns): ParsedPlant {
  if ('reason' in record) return record;
  const { fields } = record;
  if (fields.length > count) return { reason: 'it has more fields than the header' };
  const read = plantOfFields(fields[id], fields[name], fields[tag]);
  if ('plant' in read || fields[id] === undefined || isDigits(fields[id])) return read;
  // A spreadsheet rounds a long id, and writes it as 1.23457E+17.
  return { reason: `${read.reason}; in CSV an id is digits only: a spreadsheet may have changed this one` };
}

interface Columns {
  readonly id: number;
  readonly name: number;
  readonly tag: number;
  readonly count: number;
}

/** Spreadsheets write such rows below and between others. */
function isBlank(record: CsvRecord): boolean {
  return 'fields' in record && record.fields.every((field) => field === undefined || field.trim() === '');
}

function columnsOf(header: CsvRecord): Columns {
  if ('reason' in header) {
    const separates = separatorOf(header.text?.includes(',') ? '' : (header.text ?? ''));
    throw wrongHeader(separates ?? `cannot be read: ${header.reason}`);
  }
  const names = header.fields.map((field) => field?.trim().toLowerCase());
  const [id = -1, name = -1, tag = -1] = ['id', 'name', 'tag'].map((column) => {
    const at = names.indexOf(column);
    if (at === names.lastIndexOf(column)) return at;
    throw wrongHeader(`names ${column} more than once`);
  });
  if (id !== -1 && name !== -1) return { id, name, tag, count: names.length };
  const missing = id !== -1 ? 'column name' : name !== -1 ? 'column id' : 'columns id and name';
  const [first = ''] = names;
  const separates = names.length === 1 ? separatorOf(first) : undefined;
  throw wrongHeader(causeOf(first) ?? separates ?? `has no ${missing}`);
}

function causeOf(first: string): string | undefined {
  if (first.startsWith('sep=')) return 'is an instruction for a spreadsheet, not a header: remove the line';
  return /^[-+]?\d/.test(first) ? 'is a plant, not a header' : undefined;
}

const SEPARATORS = { '\t': 'tabs', ';': 'semicolons', '|': '|' };

function separatorOf(line: string): string | undefined {
  const found = Object.entries(SEPARATORS).find(([separator]) => line.includes(separator));
  return found && `separates its columns with ${found[1]}, not commas`;
}

function wrongHeader(cause: string): StartupError {
  const expected = 'it must name its columns, with commas: id, name and, for tags, tag';
  return new StartupError(`the first line of the CSV ${cause}; ${expected}`);
}

export function csvRecord({ id, name, tag }: StoredPlant): string {
  return `${id},${field(name)},${tag === undefined ? '' : field(tag)}\r\n`;
}

function field(text: string): string {
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
