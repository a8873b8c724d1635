/** CSV (RFC 4180): a header that names the columns, then one plant a record. */
import { isUtf8 } from 'node:buffer';
import { StartupError } from '../errors.ts';
import type { StoredPlant } from '../plants/plant.ts';
import { type Entry, plantOfFields, type Read } from './new-plant.ts';

export const CSV_HEADER = 'id,name,tag\r\n';

/** A longer record is refused: a quote that is never closed would take the rest of the input. */
const MAX_RECORD_BYTES = 2 ** 20;
const TOO_LONG = `the record is longer than ${MAX_RECORD_BYTES} bytes`;
const NOT_CLOSED = `a quote is not closed, or not within ${MAX_RECORD_BYTES} bytes`;
const MISPLACED = 'its quotes are not those of CSV: they enclose a whole field, and one inside is written twice';

/** `lastLine` is another than `line` where a quoted field spans lines. A field without quotes and content is undefined. */
type CsvRecord = { readonly line: number; readonly lastLine: number } & (
  | { readonly fields: readonly (string | undefined)[] }
  | { readonly reason: string }
);

/** Yields the entries of each piece of the input. A field without quotes and content is an absent one; `""` is empty. */
export async function* readCsv(input: AsyncIterable<Buffer>): AsyncGenerator<readonly Entry[]> {
  let columns: Columns | undefined;
  for await (const records of readRecords(input)) {
    const entries: Entry[] = [];
    for (const record of records) {
      if (columns === undefined) columns = columnsOf(record);
      else entries.push({ line: record.line, ...plantOf(record, columns) });
    }
    yield entries;
  }
}

async function* readRecords(input: AsyncIterable<Buffer>): AsyncGenerator<readonly CsvRecord[]> {
  const splitter = new Splitter();
  let rest: Buffer[] = [];
  let length = 0;
  let enough = 0;
  for await (const piece of input) {
    rest.push(piece);
    length += piece.length;
    if (length < enough) continue;
    const block = Buffer.concat(rest);
    const { records, end } = splitter.split(block, false);
    yield records;
    rest = [block.subarray(end)];
    length = block.length - end;
    // A record that is cut off is split again from its beginning: once for each doubling, not for each piece.
    enough = 2 * length;
  }
  yield splitter.split(Buffer.concat(rest), true).records;
}

const CR = 13;
const LINE_END = /\r\n|\n|\r/g;
const EMPTY_LINES = /[\r\n]*/y;
const UNQUOTED = /[^",\r\n]*/y;
/** U+FEFF in UTF-8, a character for each byte. */
const BYTE_ORDER_MARK = '\u00EF\u00BB\u00BF';

/** Splits blocks into records. A bad one costs only the line that it begins with: the next line begins another. */
class Splitter {
  #text = '';
  #at = 0;
  #line = 1;
  #isBeginning = true;
  /** The next block begins within a line that was refused for its length. */
  #isWithinRefused = false;

  /** `end` is where the next block has to begin. */
  split(block: Buffer, isLast: boolean): { readonly records: readonly CsvRecord[]; readonly end: number } {
    const records: CsvRecord[] = [];
    const refuseLine = (reason: string) => {
      records.push({ line: this.#line, lastLine: this.#line, reason });
      this.#skipLine();
    };
    // A character for each byte. A CR at the end may be half of CR LF.
    const text = block.toString('latin1', 0, !isLast && block.at(-1) === CR ? block.length - 1 : block.length);
    const lines = isLast ? text : text.slice(0, Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1);
    this.#text = text;
    this.#at = this.#isBeginning && lines.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0;
    this.#isBeginning &&= lines === '';
    if (this.#isWithinRefused) this.#skipLine();
    for (;;) {
      this.#moveTo(endOf(EMPTY_LINES, lines, this.#at));
      if (this.#at >= lines.length) break;
      const found = readFields(block, lines, this.#at);
      if ('fields' in found && found.end - this.#at <= MAX_RECORD_BYTES) {
        records.push(this.#record(block, found));
      } else {
        const reason = 'fields' in found ? TOO_LONG : found.reason;
        if (reason === NOT_CLOSED && !isLast && text.length - this.#at <= MAX_RECORD_BYTES) break;
        refuseLine(reason);
      }
    }
    if (!isLast && text.length - this.#at > MAX_RECORD_BYTES) refuseLine(TOO_LONG);
    return { records, end: this.#at };
  }

  #record(block: Buffer, { fields, end }: Fields): CsvRecord {
    const line = this.#line;
    const bytes = block.subarray(this.#at, end);
    this.#moveTo(end);
    const lastLine = /[\r\n]/.test(this.#text.charAt(end - 1)) ? this.#line - 1 : this.#line;
    return { line, lastLine, ...(isUtf8(bytes) ? { fields } : { reason: 'it is not UTF-8' }) };
  }

  #skipLine(): void {
    LINE_END.lastIndex = this.#at;
    this.#isWithinRefused = !LINE_END.test(this.#text);
    this.#moveTo(this.#isWithinRefused ? this.#text.length : LINE_END.lastIndex);
  }

  #moveTo(end: number): void {
    this.#line += this.#text.slice(this.#at, end).match(LINE_END)?.length ?? 0;
    this.#at = end;
  }
}

interface Fields {
  readonly fields: readonly (string | undefined)[];
  /** Behind the record and its line end. */
  readonly end: number;
}

function readFields(block: Buffer, lines: string, start: number): Fields | { readonly reason: string } {
  const fields: (string | undefined)[] = [];
  for (let at = start; ; at++) {
    if (lines[at] === '"') {
      let close = lines.indexOf('"', at + 1);
      while (lines[close + 1] === '"' && close !== -1) close = lines.indexOf('"', close + 2);
      if (close === -1) return { reason: NOT_CLOSED };
      fields.push(block.toString('utf8', at + 1, close).replaceAll('""', '"'));
      at = close + 1;
    } else {
      const end = endOf(UNQUOTED, lines, at);
      fields.push(at === end ? undefined : block.toString('utf8', at, end));
      at = end;
    }
    if (lines[at] === ',') continue;
    if (at < lines.length && lines[at] !== '\n' && lines[at] !== '\r') return { reason: MISPLACED };
    return { fields, end: lines.startsWith('\r\n', at) ? at + 2 : Math.min(at + 1, lines.length) };
  }
}

/** Where a sticky expression's match from a position ends. The position may be behind the text, where nothing matches. */
function endOf(expression: RegExp, text: string, at: number): number {
  expression.lastIndex = at;
  return expression.test(text) ? expression.lastIndex : at;
}

function plantOf(record: CsvRecord, columns: Columns): Read {
  const read = readPlant(record, columns);
  // A quote too many can make one record of many lines, which are all refused with it.
  if ('plant' in read || record.lastLine === record.line) return read;
  return { reason: `${read.reason} (the record goes on to line ${record.lastLine})` };
}

function readPlant(record: CsvRecord, { id, name, tag, count }: Columns): Read {
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
