/** Owns an import's input: which format it is in, and where an import that was cut off goes on. */
import { createHash, type Hash } from 'node:crypto';
import { fstatSync, type Stats, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { devNull } from 'node:os';
import { resolve } from 'node:path';
import { StartupError } from '../errors.ts';
import type { Chunk, Position } from './chunk.ts';
import { readCsv } from './csv.ts';
import { readNdjson } from './ndjson.ts';
import type { NewPlantReader } from './new-plant.ts';

export type Format = 'ndjson' | 'csv';

/** The format that a file's name stands for; NDJSON where it says nothing. */
export function formatOf(path: string): Format {
  return /\.csv$/i.test(path) ? 'csv' : 'ndjson';
}

export interface PlantInput {
  /** What the import is remembered by; undefined where it always begins anew. */
  readonly key: string | undefined;
  /** Bytes in all, where that is known. */
  readonly size: number | undefined;
  /** The line that it goes on with, 1 at the beginning. */
  readonly resumed: number;
  readonly refusedBefore: number;
  /** Whether waiting for more of it cannot be interrupted: so for a named pipe, to which nobody may be writing. */
  readonly holds: boolean;
  chunks(reader: NewPlantReader): AsyncGenerator<Chunk>;
  /** What to remember with the next chunk: that everything before it is done, with this many lines refused. */
  markBefore(refused: number): { readonly key: string; readonly state: string } | undefined;
  /** Told that a chunk is on its way to the store. */
  passed(chunk: Chunk): void;
}

const BLOCK_BYTES = 2 ** 16;
const BEGIN: Position = { byte: 0, line: 1, digest: undefined };

interface State {
  readonly byte: number;
  readonly line: number;
  readonly refused: number;
  readonly digest: string;
}

/**
 * Opens a file, or standard input for `-`. A file of NDJSON is remembered by its path and goes on where it was cut off;
 * all others, pipes too, begin anew, which is as safe, since a plant stored twice is stored once.
 */
export async function openInput(
  path: string,
  stdin: NodeJS.ReadableStream,
  asked: Format | undefined,
  store: string,
  remembered: (key: string) => Promise<string | undefined>,
): Promise<PlantInput> {
  const format = asked ?? formatOf(path);
  if (path === '-') return anew(format, undefined, standardInput(stdin));
  const stats = statsOf(path);
  // A pipe has no positions: it is read as it comes.
  if (!stats.isFile()) return { ...anew(format, undefined, blocksOf(path, null)), holds: true };
  const { size } = stats;
  const from = (start: number) => blocksOf(path, start);
  if (format === 'csv') return anew(format, size, from(0));
  const key = createHash('sha256')
    .update(JSON.stringify([resolve(path), store]))
    .digest('hex');
  const state = readState(await remembered(key));
  // A file that was changed before the position is read from its beginning.
  const hash = state && (await unchangedTo(state, from(0)));
  const start = hash && state;
  let at: Position = start ?? BEGIN;
  return {
    key,
    size,
    resumed: at.line,
    refusedBefore: start?.refused ?? 0,
    holds: false,
    chunks: (reader) => readNdjson(from(at.byte), at, reader, hash ?? createHash('sha256')),
    markBefore: (refused) => {
      const { byte, line, digest } = at;
      return digest === undefined ? undefined : { key, state: JSON.stringify({ byte, line, refused, digest }) };
    },
    passed({ end }) {
      at = end;
    },
  };
}

function anew(format: Format, size: number | undefined, stream: AsyncIterable<Buffer>): PlantInput {
  return {
    key: undefined,
    size,
    resumed: 1,
    refusedBefore: 0,
    holds: false,
    chunks: (reader) =>
      format === 'csv' ? readCsv(stream, reader) : readNdjson(stream, BEGIN, reader, createHash('sha256')),
    markBefore: () => undefined,
    passed: () => undefined,
  };
}

/** Standard input. If it is a directory or closed, Node makes an empty one: an import of it would look done. */
function standardInput(stdin: NodeJS.ReadableStream): AsyncIterable<Buffer> {
  if ('fd' in stdin && typeof stdin.fd === 'number') {
    const stats = fstatSync(stdin.fd);
    if (stats.isDirectory()) throw new StartupError('cannot read standard input: it is a directory');
    // What Node opens in place of a closed one, and what a service manager or a container gives where nothing is asked.
    const none = stats.isCharacterDevice() && stats.rdev === statSync(devNull).rdev;
    if (none) throw new StartupError(`cannot read standard input: it is closed, or ${devNull}`);
  }
  return stdin as AsyncIterable<Buffer>;
}

/** A file's bytes from a position (null for a pipe), in one buffer: each block is valid until the next one is read. */
async function* blocksOf(path: string, start: number | null): AsyncGenerator<Buffer> {
  await using file = await open(path);
  const buffer = Buffer.allocUnsafeSlow(BLOCK_BYTES);
  for (let at = start; ; ) {
    const { bytesRead } = await file.read(buffer, 0, BLOCK_BYTES, at);
    if (bytesRead === 0) return;
    if (at !== null) at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

function statsOf(path: string): Stats {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new StartupError(`cannot read ${path}: there is no such file`);
  if (stats.isDirectory()) throw new StartupError(`cannot read ${path}: it is a directory`);
  return stats;
}

/** The state that was remembered; one that another version wrote and this one does not understand counts as none. */
function readState(text: string | undefined): State | undefined {
  if (text === undefined) return undefined;
  const { byte, line, refused, digest }: Partial<State> = JSON.parse(text);
  if (byte === undefined || line === undefined || refused === undefined || digest === undefined) return undefined;
  return { byte, line, refused, digest };
}

/** The hash of a file up to a position; undefined where the file was changed before it. */
async function unchangedTo({ byte, digest }: State, stream: AsyncIterable<Buffer>): Promise<Hash | undefined> {
  const hash = createHash('sha256');
  let left = byte;
  for await (const piece of stream) {
    hash.update(piece.subarray(0, left));
    left -= piece.length;
    if (left <= 0) break;
  }
  return hash.copy().digest('hex') === digest ? hash : undefined;
}
