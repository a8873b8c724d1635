/** Owns splitting CSV (RFC 4180) into records: where each begins and ends, and which lines begin none. */
import { isUtf8 } from 'node:buffer';
import { type CastingContext, CsvError, parse } from 'csv-parse/sync';

interface Lines {
  readonly line: number;
  /** Another than `line` where a quoted field spans lines. */
  readonly lastLine: number;
}

export interface CsvRecord extends Lines {
  /** A field without quotes and content is undefined. */
  readonly fields: readonly (string | undefined)[];
}

/** What is no record, and why. */
export interface CsvFault extends Lines {
  readonly refused: string;
}

/** What one more block of the input brought, and where the next one begins. */
interface RecordBlock {
  readonly records: readonly (CsvRecord | CsvFault)[];
  readonly byte: number;
  readonly line: number;
}

/** A record longer than this is refused: a quote that is never closed would take the rest of the input. */
const MOST_RECORD_BYTES = 2 ** 20;
const LF = 10;
const CR = 13;

const OPTIONS = {
  // Without them csv-parse holds the whole input to the first line's end, but files are put together of several.
  record_delimiter: ['\r\n', '\n', '\r'],
  relax_column_count: true,
  skip_empty_lines: true,
  cast: (value: string, { quoting }: CastingContext) => (value === '' && !quoting ? undefined : value),
};

/**
 * Reads records. After a fault csv-parse would stay within the quotes and lose good lines with the bad one, so it is
 * begun anew: the line that the bad record began with is refused, and the next line is taken to begin a record.
 */
export async function* readRecords(input: AsyncIterable<Buffer>): AsyncGenerator<RecordBlock> {
  const reader = new RecordReader();
  let held: Buffer[] = [];
  let length = 0;
  let enough = 0;
  for await (const piece of input) {
    held.push(Buffer.from(piece));
    length += piece.length;
    if (length < enough) continue;
    const block = Buffer.concat(held);
    const read = reader.read(block, false);
    yield reader.take();
    held = [block.subarray(read)];
    length = block.length - read;
    // A record that is cut off is parsed again from its beginning: once for each doubling, not for each piece.
    enough = 2 * length;
  }
  reader.read(Buffer.concat(held), true);
  yield reader.take();
}

class RecordReader {
  #records: (CsvRecord | CsvFault)[] = [];
  #byte = 0;
  #line = 1;
  /** The next block begins within a line that is refused already. */
  #withinLine = false;

  /** Reads the whole records of a block, which begins where the last one was read to; returns to where it was read. */
  read(bytes: Buffer, ended: boolean): number {
    // CR LF may be cut in two.
    const block = !ended && bytes.at(-1) === CR ? bytes.subarray(0, -1) : bytes;
    const lines = ended ? block : block.subarray(0, Math.max(block.lastIndexOf(LF), block.lastIndexOf(CR)) + 1);
    let at = this.#withinLine ? this.#skipLine(block, 0) : 0;
    while (at < lines.length) {
      const { end, error } = this.#parse(lines, at);
      at = this.#skipEmptyLines(lines, end);
      const goesOn = !ended && error?.code === 'CSV_QUOTE_NOT_CLOSED' && block.length - at <= MOST_RECORD_BYTES;
      if (error === undefined || goesOn) break;
      at = this.#refuseLine(block, at, faultOf(error));
    }
    if (!ended && block.length - at > MOST_RECORD_BYTES) at = this.#refuseLine(block, at, faultOf(new TooLong()));
    this.#byte += at;
    return at;
  }

  take(): RecordBlock {
    const taken = { records: this.#records, byte: this.#byte, line: this.#line };
    this.#records = [];
    return taken;
  }

  /** Reads records up to the first faulty one; `end` is behind the last good one. */
  #parse(lines: Buffer, start: number): { readonly end: number; readonly error?: CsvError | TooLong } {
    let end = start;
    const onRecord = (fields: CsvRecord['fields'], info: { readonly bytes: number }) => {
      const next = start + info.bytes;
      end = this.#skipEmptyLines(lines, end);
      if (next - end > MOST_RECORD_BYTES) throw new TooLong();
      this.#add(fields, lines.subarray(end, next));
      end = next;
      return null;
    };
    try {
      parse(lines.subarray(start), { ...OPTIONS, bom: this.#byte + start === 0, on_record: onRecord });
      return { end };
    } catch (error) {
      if (error instanceof CsvError || error instanceof TooLong) return { end, error };
      throw error;
    }
  }

  #add(fields: CsvRecord['fields'], bytes: Buffer): void {
    const line = this.#line;
    for (let at = 0; at < bytes.length; at++) if (endsLine(bytes, at)) this.#line += 1;
    const lastLine = endsLine(bytes, bytes.length - 1) ? this.#line - 1 : this.#line;
    this.#records.push(isUtf8(bytes) ? { line, lastLine, fields } : { line, lastLine, refused: 'it is not UTF-8' });
  }

  #skipEmptyLines(block: Buffer, from: number): number {
    let at = from;
    for (; block[at] === LF || block[at] === CR; at++) if (endsLine(block, at)) this.#line += 1;
    return at;
  }

  #refuseLine(block: Buffer, from: number, refused: string): number {
    this.#records.push({ line: this.#line, lastLine: this.#line, refused });
    return this.#skipLine(block, from);
  }

  #skipLine(block: Buffer, from: number): number {
    let at = from;
    while (at < block.length && !endsLine(block, at)) at += 1;
    this.#withinLine = at === block.length;
    if (this.#withinLine) return at;
    this.#line += 1;
    return at + 1;
  }
}

class TooLong extends Error {
  readonly code = 'TOO_LONG';
}

function endsLine(bytes: Buffer, at: number): boolean {
  return bytes[at] === LF || (bytes[at] === CR && bytes[at + 1] !== LF);
}

function faultOf({ code }: CsvError | TooLong): string {
  if (code === 'TOO_LONG') return `the record is longer than ${MOST_RECORD_BYTES} bytes`;
  if (code === 'CSV_QUOTE_NOT_CLOSED') return `a quote is not closed, or not within ${MOST_RECORD_BYTES} bytes`;
  return 'its quotes are not those of CSV: they enclose a whole field, and one inside is written twice';
}
