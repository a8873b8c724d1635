/** Owns CSV (RFC 4180): a header that names the columns, then one plant a record. */
import { StartupError } from '../errors.ts';
import type { StoredPlant } from '../plants/plant.ts';
import { type Chunk, ChunkBuilder, type Position } from './chunk.ts';
import { type CsvFault, type CsvRecord, readRecords } from './csv-records.ts';
import type { NewPlantReader, Read } from './new-plant.ts';

export const CSV_HEADER = 'id,name,tag\r\n';

/** Reads chunks of plants. A field without quotes and content is an absent one; `""` is the empty text. */
export async function* readCsv(input: AsyncIterable<Buffer>, reader: NewPlantReader): AsyncGenerator<Chunk> {
  const chunk = new ChunkBuilder();
  let columns: Columns | undefined;
  let end: Position | undefined;
  for await (const { records, byte, line } of readRecords(input)) {
    for (const record of records) {
      if (columns === undefined) {
        columns = columnsOf(record);
        continue;
      }
      const read = plantOf(record, columns, reader);
      if ('refused' in read) chunk.refuse(record.line, reasonOf(record, read.refused));
      else chunk.add(record.line, read.id, read.name, read.tag);
    }
    end = { byte, line, digest: undefined };
    if (chunk.isFull) yield chunk.take(end);
  }
  if (end !== undefined && !chunk.isEmpty) yield chunk.take(end);
}

function plantOf(record: CsvRecord | CsvFault, { id, name, tag, count }: Columns, reader: NewPlantReader): Read {
  if ('refused' in record) return record;
  const { fields } = record;
  if (fields.length > count) return { refused: 'it has more fields than the header' };
  return reader.fields(fields[id], fields[name], fields[tag]);
}

/** A quote too many can make one record of many lines: all that are refused with the first are told. */
function reasonOf({ line, lastLine }: CsvRecord | CsvFault, refused: string): string {
  return lastLine === line ? refused : `${refused} (the record goes on to line ${lastLine})`;
}

interface Columns {
  readonly id: number;
  readonly name: number;
  readonly tag: number;
  readonly count: number;
}

function columnsOf(header: CsvRecord | CsvFault): Columns {
  if ('refused' in header) throw new StartupError(`the first line of the CSV cannot be read: ${header.refused}`);
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
