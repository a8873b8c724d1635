/** NDJSON: each line is a plant as JSON. */
import { StoredPlant } from '../contract/openapi.generated.ts';
import { jsonLine } from '../util/json-line.ts';
import { type Line, MAX_BYTES, readLines } from './lines.ts';
import { type Entry, plantOfJson } from './new-plant.ts';

const LINE_END = /\n/g;
const NEWLINE = 10;

/** Yields the entries of each piece of the input. Ignores empty lines. */
export async function* readNdjson(input: AsyncIterable<Buffer>): AsyncGenerator<readonly Entry[]> {
  for await (const lines of readLines(input, LINE_END)) yield lines.flatMap(readLine);
}

function readLine({ line, bytes }: Line): readonly Entry[] {
  const json = bytes.at(-1) === NEWLINE ? bytes.subarray(0, -1) : bytes;
  if (json.length > MAX_BYTES) return [{ line, reason: `it is longer than ${MAX_BYTES} bytes` }];
  if (json.every((byte) => byte === 32 || byte === 13 || byte === 9)) return [];
  return [{ line, ...plantOfJson(json) }];
}

export const ndjsonLine = (plant: StoredPlant): string => `${jsonLine(StoredPlant.write(plant))}\n`;
