/** NDJSON: one plant a line as JSON. */
import type { StoredPlant } from '../plants/plant.ts';
import { type Entry, plantOfJson } from './new-plant.ts';

/** A longer line is refused, and not kept in memory. */
const MAX_LINE_BYTES = 2 ** 20;
const NEWLINE = 10;
const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

/** Yields the entries of each piece of the input. Empty lines are none. */
export async function* readNdjson(input: AsyncIterable<Buffer>): AsyncGenerator<readonly Entry[]> {
  let line = 0;
  let rest = Buffer.alloc(0);
  for await (const piece of input) {
    const block = Buffer.concat([rest, piece]);
    const entries: Entry[] = [];
    let start = 0;
    for (let end = block.indexOf(NEWLINE); end !== -1; end = block.indexOf(NEWLINE, start)) {
      entries.push(...readLine(block.subarray(start, end), ++line));
      start = end + 1;
    }
    yield entries;
    // One byte more than a line may have is enough to refuse it by.
    rest = block.subarray(start, start + MAX_LINE_BYTES + 1);
  }
  yield readLine(rest, ++line);
}

function readLine(bytes: Buffer, line: number): readonly Entry[] {
  // Some editors begin a file with a byte order mark.
  const hasMark = line === 1 && bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  const json = hasMark ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;
  if (json.every((byte) => byte === 32 || byte === 13 || byte === 9)) return [];
  if (json.length > MAX_LINE_BYTES) return [{ line, reason: `it is longer than ${MAX_LINE_BYTES} bytes` }];
  return [{ line, ...plantOfJson(json) }];
}

/** A plant as its line. */
export function ndjsonLine({ id, name, tag }: StoredPlant): string {
  const end = tag === undefined ? '}\n' : `,"tag":${JSON.stringify(tag)}}\n`;
  return `{"id":${id},"name":${JSON.stringify(name)}${end}`;
}
