/** The input of an import: a file or standard input, as CSV or NDJSON. */
import { createReadStream, fstatSync, openSync, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { StartupError } from '../errors.ts';
import { readCsv } from './csv.ts';
import { readNdjson } from './ndjson.ts';
import type { Entry } from './new-plant.ts';
import { type Format, recognise } from './recognise.ts';

/** The most lines of a batch and the most characters of their texts. They limit its memory. */
const MAX_BATCH = 5_000;
const MAX_BATCH_LENGTH = 2 ** 21;

export interface PlantInput {
  readonly batches: AsyncIterable<readonly Entry[]>;
  /** The bytes of a regular file. Undefined for any other input. */
  readonly size: number | undefined;
  readonly bytesRead: () => number;
}

/** The format by the extension of a file's name. Default: NDJSON. */
export function formatOf(path: string): Format {
  return /\.csv$/i.test(path) ? 'csv' : 'ndjson';
}

/**
 * Opens a file, or standard input for `-`, and reads its beginning. Rejects with a StartupError if it cannot be read,
 * or if its beginning shows another format.
 */
export async function openInput(path: string, stdin: Readable, format: Format = formatOf(path)): Promise<PlantInput> {
  const { stream, size, bytesRead } = openStream(path, stdin);
  const name = path === '-' ? 'standard input' : path;
  const entries = (format === 'csv' ? readCsv : readNdjson)(recognise(stream, name, format));
  // Read now, so that an input of another format, or with a wrong header, leaves no empty database behind.
  const first = await entries.next();
  return { batches: batchesOf(first.done ? [] : first.value, entries), size, bytesRead };
}

function openStream(path: string, stdin: Readable): Omit<PlantInput, 'batches'> & { readonly stream: Readable } {
  if (path === '-') {
    checkStandardInput(stdin);
    return { stream: stdin, size: undefined, bytesRead: () => 0 };
  }
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new StartupError(`cannot read ${path}: no such file`);
  if (stats.isDirectory()) throw new StartupError(`cannot read ${path}: it is a directory`);
  const stream = createReadStream(path, stats.isFile() ? { fd: openSync(path, 'r') } : {});
  return { stream, size: stats.isFile() ? stats.size : undefined, bytesRead: () => stream.bytesRead };
}

async function* batchesOf(
  first: readonly Entry[],
  rest: AsyncIterable<readonly Entry[]>,
): AsyncGenerator<readonly Entry[]> {
  async function* all() {
    yield first;
    yield* rest;
  }
  let batch: Entry[] = [];
  let length = 0;
  for await (const entries of all()) {
    for (const entry of entries) {
      batch.push(entry);
      length += 'plant' in entry ? entry.plant.name.length + (entry.plant.tag?.length ?? 0) : entry.reason.length;
      if (batch.length < MAX_BATCH && length < MAX_BATCH_LENGTH) continue;
      yield batch;
      [batch, length] = [[], 0];
    }
  }
  yield batch;
}

/** Node takes a directory or closed input for empty input. Such an import would seem successful. */
function checkStandardInput(stdin: Readable): void {
  if (!('fd' in stdin && typeof stdin.fd === 'number')) return;
  const stats = fstatSync(stdin.fd);
  if (stats.isDirectory()) throw new StartupError('cannot read standard input: it is a directory');
  const isTerminal = 'isTTY' in stdin && stdin.isTTY === true;
  if (stats.isCharacterDevice() && !isTerminal) {
    throw new StartupError('cannot read standard input: it is closed, or /dev/null');
  }
}
