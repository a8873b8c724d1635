/** Owns CSV (RFC 4180): a header that names the columns, then one plant a record. */
import { Readable } from 'node:stream';
import { type CastingContext, type InfoRecord, parse } from 'csv-parse';
import type { StoredPlant } from '../plants/plant.ts';
import { type Chunk, ChunkBuilder } from './chunk.ts';
import type { NewPlantReader } from './new-plant.ts';

/** The whole input cannot be read as CSV: it ends here. */
export class InputError extends Error {
  override readonly name = 'InputError';
}

/** A record longer than this is refused: a quote that is never closed would take the rest of the input. */
const MOST_RECORD = 2 ** 20;

export const CSV_HEADER = 'id,name,tag\r\n';

/** Reads chunks of plants. A field without quotes and content is an absent one; `""` is the empty text. */
export async function* readCsv(input: AsyncIterable<Buffer>, reader: NewPlantReader): AsyncGenerator<Chunk> {
  const chunk = new ChunkBuilder();
  const parser = Readable.from(decoded(input)).compose(
    parse({
      bom: true,
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      skip_records_with_error: true,
      max_record_size: MOST_RECORD,
      cast: (value: string, { quoting }: CastingContext) => (value === '' && !quoting ? undefined : value),
      on_skip: (error) => {
        chunk.refuse(lineOf(error), 'it is not a record of CSV');
        return undefined;
      },
    }),
  );
  let columns: Columns | undefined;
  let line = 1;
  let byte = 0;
  for await (const { info, record } of parser as AsyncIterable<Parsed>) {
    line = info.lines;
    byte = info.bytes;
    if (columns === undefined) {
      columns = columnsOf(record);
      continue;
    }
    const { id, name, tag, count } = columns;
    if (record.length > count) chunk.refuse(line, 'it has more fields than the header');
    else {
      const read = reader.fields(record[id], record[name], tag === -1 ? undefined : record[tag]);
      if ('refused' in read) chunk.refuse(line, read.refused);
      else chunk.add(line, read.id, read.name, read.tag);
    }
    if (chunk.isFull) yield chunk.take({ byte: info.bytes, line: line + 1, digest: undefined });
  }
  if (!chunk.isEmpty) yield chunk.take({ byte, line: line + 1, digest: undefined });
}

interface Parsed {
  readonly info: InfoRecord & { readonly bytes: number };
  readonly record: readonly (string | undefined)[];
}

interface Columns {
  readonly id: number;
  readonly name: number;
  readonly tag: number;
  readonly count: number;
}

function columnsOf(header: Parsed['record']): Columns {
  const [id, name, tag] = ['id', 'name', 'tag'].map((column) => header.indexOf(column)) as [number, number, number];
  if (id !== -1 && name !== -1) return { id, name, tag, count: header.length };
  throw new InputError('the first line of the CSV must name its columns: id, name and, where there are tags, tag');
}

/** Text as it comes; a quoted field may span lines, so that what is not UTF-8 cannot be blamed on a line alone. */
async function* decoded(input: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  try {
    for await (const piece of input) yield decoder.decode(piece, { stream: true });
    yield decoder.decode();
  } catch (error) {
    if (error instanceof TypeError) throw new InputError('the input is not UTF-8');
    throw error;
  }
}

function lineOf(error: unknown): number {
  return error instanceof Error && 'lines' in error ? Number(error.lines) : 0;
}

/** A plant as its record. */
export function csvRecord({ id, name, tag }: StoredPlant): string {
  return `${id},${field(name)},${tag === undefined ? '' : field(tag)}\r\n`;
}

function field(text: string): string {
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
