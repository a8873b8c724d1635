/** `plantstore export`: writes every plant of a store as it is at one moment, beside a service that runs on. */
import { once } from 'node:events';
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { StartupError, StoreFailure } from '../errors.ts';
import type { StoredPlant } from '../plants/plant.ts';
import { CSV_HEADER, csvRecord } from '../transfer/csv.ts';
import { formatOf } from '../transfer/input.ts';
import { ndjsonLine } from '../transfer/ndjson.ts';
import type { Command, Stdio } from './command.ts';
import { readCommandLine } from './config.ts';
import { openData } from './engine.ts';
import { exportOptions } from './options.ts';

export const exportPlants: Command = {
  name: 'export',
  operands: '[FILE|-]',
  summary: 'Writes the plants of a store (NDJSON or CSV) to a new file, or to standard output',
  options: exportOptions,
  run: runExport,
};

/** Characters written at once. */
const BLOCK = 256 * 1_024;

async function runExport(args: readonly string[], stdio: Stdio): Promise<number> {
  const { config, operands } = readCommandLine(exportOptions, args, stdio.env, 1);
  const path = operands[0] ?? '-';
  const data = await openData(config.database, false);
  const output = path === '-' ? streamOutput(stdio.stdout) : fileOutput(path);
  let stopped = false;
  void stdio.stopped.then(() => {
    stopped = true;
  });
  let count = 0;
  try {
    const csv = (config.format ?? formatOf(path)) === 'csv';
    const write: (plant: StoredPlant) => string = csv ? csvRecord : ndjsonLine;
    let block = csv ? CSV_HEADER : '';
    for await (const plants of data.snapshot(config.store)) {
      for (const plant of plants) block += write(plant);
      count += plants.length;
      if (block.length < BLOCK) continue;
      await output.write(block);
      block = '';
      if (stopped) throw new StartupError('stopped: what was written is not the whole store');
    }
    await output.write(block);
    await output.end();
  } catch (error) {
    if (!(error instanceof StoreFailure)) throw error;
    throw new StartupError(`${error.message}: what was written is not the whole store`, { cause: error });
  } finally {
    await output.close();
    await data.close();
  }
  stdio.stderr.write(`${count.toLocaleString('en-US')} plants exported\n`);
  return 0;
}

interface Output {
  write(text: string): Promise<void>;
  /** All is written, and has to stay. */
  end(): Promise<void>;
  close(): Promise<void>;
}

function streamOutput(stream: NodeJS.WritableStream): Output {
  // Who reads can leave early, as `head` does: then nothing is to be told.
  let failed: Error | undefined;
  stream.on('error', (error) => {
    failed = error;
  });
  return {
    async write(text) {
      if (failed !== undefined) throw new StartupError(`cannot write: ${failed.message}`);
      // A turn for signals and for the stream's errors, which a stream that never fills up would not give.
      await new Promise((resolve) => setImmediate(resolve));
      if (!stream.write(text)) await Promise.race([once(stream, 'drain'), once(stream, 'close')]);
    },
    end: async () => undefined,
    close: async () => undefined,
  };
}

function fileOutput(path: string): Output {
  let file: number;
  try {
    file = openSync(path, 'wx');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error;
    throw new StartupError(
      code === 'EEXIST' ? `${path} is there already, and is left as it is` : `cannot write ${path}: ${code}`,
    );
  }
  return {
    async write(text) {
      const bytes = Buffer.from(text);
      try {
        for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
      } catch (error) {
        throw new StartupError(`cannot write ${path}: ${error instanceof Error ? error.message : error}`);
      }
      await new Promise((resolve) => setImmediate(resolve));
    },
    async end() {
      fsyncSync(file);
    },
    async close() {
      closeSync(file);
    },
  };
}
