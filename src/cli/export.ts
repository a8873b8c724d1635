/** `plantstore export`: writes all plants of a store, as of one moment. The service may be running. */
import { existsSync, realpathSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { StartupError, StoreFailure } from '../errors.ts';
import type { StoredPlant } from '../plants/plant.ts';
import { withEngine } from '../stores/open.ts';
import { CSV_HEADER, csvRecord } from '../transfer/csv.ts';
import { ndjsonLine } from '../transfer/ndjson.ts';
import { formatOf } from '../transfer/open-input.ts';
import { isPipeOrDevice, writeNewFile } from '../util/new-file.ts';
import { countOf } from '../util/printable.ts';
import { command, UsageError } from './command-line.ts';
import { DATABASE, FORCE, FORMAT, STORE } from './options.ts';
import { printData, tell } from './output.ts';
import { isStandardOutput, writeStream } from './output-file.ts';

/** Characters per write. */
const BLOCK = 256 * 1_024;

const NOT_KEPT = 'no file was written';

export const exportPlants = command({
  name: 'export',
  operand: '[FILE|-]',
  summary: 'Writes the plants of a store (NDJSON or CSV) to a new file, or to standard output',
  options: { database: DATABASE, store: STORE, format: FORMAT, force: FORCE },
  async run(config, stdio, path = '-') {
    const isCsv = (config.format ?? formatOf(path)) === 'csv';
    const textOf: (plant: StoredPlant) => string = isCsv ? csvRecord : ndjsonLine;
    let count = 0;
    let isStopped = false;
    async function* blocksOf(all: AsyncIterable<readonly StoredPlant[]>) {
      let block = isCsv ? CSV_HEADER : '';
      for await (const plants of all) {
        for (const plant of plants) block += textOf(plant);
        count += plants.length;
        if (block.length < BLOCK) continue;
        yield block;
        block = '';
        if (isStopped) break;
      }
      yield block;
      if (isStopped) throw new StartupError(`stopped: ${NOT_KEPT}`);
    }
    try {
      await withEngine(config.database, 'read', false, async ({ plants, location }) => {
        const blocks = blocksOf(plants.readAll(config.store));
        if (isStandardOutput(path)) {
          for await (const block of blocks) await printData(stdio.stdout, block);
          return;
        }
        if (isSameFile(path, location))
          throw new UsageError('the output file is the database itself; choose another name');
        if (await isPipeOrDevice(path)) return writeStream(path, blocks);
        // Only for a file: an interrupted export to standard output leaves nothing behind.
        void stdio.stopped().then(() => {
          isStopped = true;
        });
        await writeNewFile(path, (partial) => writeFile(partial, blocks, { flag: 'wx' }), config.force);
      });
    } catch (error) {
      if (!(error instanceof StoreFailure)) throw error;
      const rest = isStandardOutput(path) || (await isPipeOrDevice(path)) ? 'the output is incomplete' : NOT_KEPT;
      throw new StartupError(`${error.shown}; ${rest}`, { cause: error });
    }
    tell(stdio.stderr, `${countOf(count, 'plant')} exported`);
    return 0;
  },
});

/** Whether both paths lead to one file, also through links. */
function isSameFile(one: string, other: string): boolean {
  return existsSync(one) && existsSync(other) && realpathSync(one) === realpathSync(other);
}
