/** Owns NDJSON: one plant a line as JSON, read in blocks, written one by one. */
import { isUtf8 } from 'node:buffer';
import type { Hash } from 'node:crypto';
import { MAX_TEXT, type StoredPlant } from '../plants/plant.ts';
import { type Chunk, ChunkBuilder, type Position } from './chunk.ts';
import type { NewPlantReader } from './new-plant.ts';

/** A line longer than this is refused, and not kept in memory. */
const MOST_LINE_BYTES = 2 ** 20;
const NEWLINE = 10;
const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

/**
 * The usual shape of a line, which most lines have and `ndjsonLine` writes: it is read without a parser, five times as
 * fast. It holds no escape, so what it captures is what JSON would give; every other line is left to the schema's reader.
 */
const USUAL =
  /\{ ?"id": ?(0|-?[1-9]\d{0,18}), ?"name": ?"([^"\\\u0000-\u001F]*)"(?:, ?"tag": ?"([^"\\\u0000-\u001F]*)")? ?\}(\r?\n|$)/y;

/** Reads chunks of plants from a position at the beginning of a line; `hash` is given every byte before a chunk's end. */
export async function* readNdjson(
  input: AsyncIterable<Buffer>,
  start: Position,
  reader: NewPlantReader,
  hash: Hash,
): AsyncGenerator<Chunk> {
  const chunk = new ChunkBuilder();
  let { byte, line } = start;
  let rest: Buffer[] = [];
  let restLength = 0;
  for await (const piece of input) {
    const end = piece.lastIndexOf(NEWLINE) + 1;
    const lines = piece.subarray(0, end);
    const tail = piece.subarray(end);
    hash.update(lines);
    if (end > 0) {
      line = readBlock(rest.length === 0 ? lines : Buffer.concat([...rest, lines]), line, chunk, reader);
      rest = [];
      restLength = 0;
      if (chunk.isFull) yield chunk.take({ byte: byte + end, line, digest: digestOf(hash) });
    }
    hash.update(tail);
    byte += piece.length;
    // Of a line that is refused for its length one byte too many is kept, to refuse it by.
    const kept = tail.subarray(0, MOST_LINE_BYTES + 1 - restLength);
    if (kept.length > 0) rest.push(Buffer.from(kept));
    restLength += kept.length;
  }
  if (restLength > 0) line = readBlock(Buffer.concat(rest), line, chunk, reader);
  if (!chunk.isEmpty) yield chunk.take({ byte, line, digest: digestOf(hash) });
}

function digestOf(hash: Hash): string {
  return hash.copy().digest('hex');
}

/** Reads a block of whole lines and returns the number of the line behind it. */
function readBlock(bytes: Buffer, first: number, chunk: ChunkBuilder, reader: NewPlantReader): number {
  const block = first === 1 ? withoutMark(bytes) : bytes;
  if (!isUtf8(block)) return readLines(block, first, chunk, reader);
  const text = block.toString('utf8');
  let line = first;
  let at = 0;
  while (at < text.length) {
    USUAL.lastIndex = at;
    const usual = USUAL.exec(text);
    if (usual !== null) {
      const [all, id, name, tag] = usual as unknown as [string, string, string, string | undefined];
      const exact = BigInt(id);
      // A text has at most as many code points as UTF-16 units.
      if (BigInt.asIntN(64, exact) === exact && name.length <= MAX_TEXT && (tag?.length ?? 0) <= MAX_TEXT) {
        chunk.add(line++, exact, name, tag);
        at += all.length;
        continue;
      }
    }
    const newline = text.indexOf('\n', at);
    const end = newline === -1 ? text.length : newline;
    readLine(Buffer.from(text.slice(at, end)), line++, chunk, reader);
    at = end + 1;
  }
  return line;
}

/** Some editors begin a file with a byte order mark, which is no part of its first line. */
function withoutMark(bytes: Buffer): Buffer {
  const { length } = BYTE_ORDER_MARK;
  return bytes.subarray(0, length).equals(BYTE_ORDER_MARK) ? bytes.subarray(length) : bytes;
}

/** Line by line, so that one that is not UTF-8 spoils no other. */
function readLines(block: Buffer, first: number, chunk: ChunkBuilder, reader: NewPlantReader): number {
  let line = first;
  for (let at = 0; at < block.length; ) {
    const newline = block.indexOf(NEWLINE, at);
    const end = newline === -1 ? block.length : newline;
    readLine(block.subarray(at, end), line++, chunk, reader);
    at = end + 1;
  }
  return line;
}

function readLine(bytes: Buffer, line: number, chunk: ChunkBuilder, reader: NewPlantReader): void {
  if (bytes.every((byte) => byte === 32 || byte === 13 || byte === 9)) return;
  const tooLong = { refused: `it is longer than ${MOST_LINE_BYTES} bytes` };
  const read = bytes.length > MOST_LINE_BYTES ? tooLong : reader.json(bytes);
  if ('refused' in read) chunk.refuse(line, read.refused);
  else chunk.add(line, read.id, read.name, read.tag);
}

/** A plant as its line. */
export function ndjsonLine({ id, name, tag }: StoredPlant): string {
  const end = tag === undefined ? '}\n' : `,"tag":${JSON.stringify(tag)}}\n`;
  return `{"id":${id},"name":${JSON.stringify(name)}${end}`;
}
