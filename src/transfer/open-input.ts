/** The input of an import: a file or standard input, as CSV or NDJSON. */
import { createReadStream, fstatSync, openSync, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { StartupError } from '../errors.ts';
import { cannotRead, explainReadErrors } from '../util/new-file.ts';
import { readCsv } from './csv.ts';
import { readNdjson } from './ndjson.ts';
import type { Entry } from './new-plant.ts';
import { type Format, recognise } from './recognise.ts';

/** The most lines of a batch and the most characters of their texts. They limit its memory. */
const MAX_BATCH = 5_000;
const MAX_BATCH_LENGTH = 2 ** 21;

export interface PlantInput {
  readonly batches: AsyncIterable<readonly Entry[]>;
  /** The part of a file that was read, from 0 to 1. Absent for any other input. */
  readonly progress?: () => number;
}

const STANDARD_INPUT: readonly (string | undefined)[] = ['-', '/dev/stdin', '/dev/fd/0', '/proc/self/fd/0'];

/** Whether a path means standard input. The system cannot open its own names for it if it is a socket, as with ssh. */
export const isStandardInput = (path: string | undefined): boolean => STANDARD_INPUT.includes(path);

/** The format by the extension of a file's name. Default: NDJSON. */
export function formatOf(path: string): Format {
  return /\.csv$/i.test(path) ? 'csv' : 'ndjson';
}

/**
 * Opens a file or standard input, and reads its beginning. Rejects with a StartupError if it cannot be read, or if its
 * beginning shows another format.
 */
export async function openInput(path: string, stdin: Readable, format: Format = formatOf(path)): Promise<PlantInput> {
  const isStandard = isStandardInput(path);
  const name = isStandard ? 'standard input' : path;
  const { stream, ...progress } = isStandard ? openStandardInput(stdin) : openFile(path);
  const entries = (format === 'csv' ? readCsv : readNdjson)(recognise(piecesOf(stream, name), name, format));
  // Read now, so that an input of another format, or with a wrong header, leaves no empty database behind.
  const first = await entries.next();
  return { batches: batchesOf(first.done ? [] : first.value, entries), ...progress };
}

type Opened = Pick<PlantInput, 'progress'> & { readonly stream: Readable };

function openFile(path: string): Opened {
  const stats = explainReadErrors(path, () => statSync(path));
  // A named pipe is opened later, since opening it waits until another process writes to it.
  if (!stats.isFile()) return { stream: createReadStream(path) };
  const stream = createReadStream(path, { fd: explainReadErrors(path, () => openSync(path, 'r')) });
  return { stream, progress: () => Math.min(stream.bytesRead / Math.max(stats.size, 1), 1) };
}

/** Node takes a closed input for empty input. Such an import would seem successful. */
function openStandardInput(stdin: Readable): Opened {
  const isTerminal = 'isTTY' in stdin && stdin.isTTY === true;
  if ('fd' in stdin && typeof stdin.fd === 'number' && !isTerminal) {
    const stats = fstatSync(stdin.fd);
    if (stats.isDirectory()) throw new StartupError('cannot read standard input: it is a directory');
    if (stats.isCharacterDevice()) throw new StartupError('cannot read standard input: it is closed, or /dev/null');
  }
  return { stream: stdin };
}

async function* piecesOf(stream: Readable, name: string): AsyncGenerator<Buffer> {
  try {
    yield* stream;
  } catch (error) {
    throw cannotRead(name, error);
  }
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
