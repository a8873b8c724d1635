/** `plantstore export`: writes every plant of a store as it is at one moment, while the service runs on. */
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { StartupError, StoreFailure } from '../errors.ts';
import { createNewFile, discard, writing } from '../new-file.ts';
import type { StoredPlant } from '../plants/plant.ts';
import { withEngine } from '../stores/open.ts';
import { CSV_HEADER, csvRecord } from '../transfer/csv.ts';
import { formatOf } from '../transfer/input.ts';
import { ndjsonLine } from '../transfer/ndjson.ts';
import { type Config, command, type Stdio } from './command-line.ts';
import { exportOptions } from './options.ts';
import { print } from './output.ts';

const about = {
  name: 'export',
  operand: '[FILE|-]',
  summary: 'Writes the plants of a store (NDJSON or CSV) to a new file, or to standard output',
  options: exportOptions,
};

export const exportPlants = command(about, runExport);

/** Characters written at once. */
const BLOCK = 256 * 1_024;

async function runExport(config: Config<typeof exportOptions>, stdio: Stdio, path = '-'): Promise<number> {
  const isCsv = (config.format ?? formatOf(path)) === 'csv';
  const textOf: (plant: StoredPlant) => string = isCsv ? csvRecord : ndjsonLine;
  let count = 0;
  const writeAll = async (snapshot: AsyncIterable<readonly StoredPlant[]>, write: (text: string) => Promise<void>) => {
    let block = isCsv ? CSV_HEADER : '';
    for await (const plants of snapshot) {
      for (const plant of plants) block += textOf(plant);
      count += plants.length;
      if (block.length < BLOCK) continue;
      await write(block);
      block = '';
    }
    await write(block);
  };
  try {
    await withEngine(config.database, 'read', false, async ({ plants }) => {
      const snapshot = plants.snapshot(config.store);
      // There is nothing to remove then, so a signal may end the process at once.
      if (path === '-') await writeAll(snapshot, (text) => print(stdio.stdout, text));
      else await inNewFile(path, stdio, (write) => writeAll(snapshot, write));
    });
  } catch (error) {
    if (!(error instanceof StoreFailure)) throw error;
    const rest = path === '-' ? 'what was written is not the whole store' : NOT_KEPT;
    throw new StartupError(`${error.message}; ${rest}`, { cause: error });
  }
  stdio.stderr.write(`${count === 1 ? '1 plant' : `${count.toLocaleString('en-US')} plants`} exported\n`);
  return 0;
}

const NOT_KEPT = 'nothing of it was kept';

/** Keeps the file when the work is done, and nothing of it when the work fails or is told to stop. */
async function inNewFile(path: string, stdio: Stdio, work: (write: (text: string) => Promise<void>) => Promise<void>) {
  const target = createNewFile(path);
  let isStopped = false;
  void stdio.stopped().then(() => {
    isStopped = true;
  });
  const file = writing(path, () => openSync(target.partial, 'wx'));
  try {
    await work(async (text) => {
      writing(path, () => writeFileSync(file, text));
      // Lets the event loop run, so that a signal is noticed: writeFileSync blocks it.
      await setImmediate();
      if (isStopped) throw new StartupError(`stopped: ${NOT_KEPT}`);
    });
    writing(path, target.keep);
  } finally {
    closeSync(file);
    discard(target.partial);
  }
}
