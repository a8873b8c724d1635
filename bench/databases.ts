/** Owns the plants that a server finds at its start: made once for each number, kept, and copied for every session. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  closeSync,
  copyFileSync,
  createWriteStream,
  existsSync,
  fsyncSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Contender, PLANT_STORE } from './contenders.ts';
import { randomId, randomInt64 } from './ids.ts';
import { SEEDED_FILES, seed } from './peers/seed.ts';
import type { Workload } from './workloads.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** On the disk of the repository: a temporary folder may be in memory, where a sync costs nothing. */
export const CACHE = join(ROOT, 'node_modules/.cache/plant-store-bench');
/** A server that keeps all in memory and writes all of it at every change gets no more. */
const MOST_IN_JSON = 1_000;

const temporary = new Set<string>();
process.once('exit', () => {
  for (const directory of temporary) rmSync(directory, { recursive: true, force: true });
});

/** Which plants are there at the start: so many, with ids as those that a workload creates. */
export type Stored = Pick<Workload, 'stored' | 'ids'>;

/** A new directory with such plants in it. The caller removes it; an interruption does too. */
export async function directoryWith(contender: Contender, { stored, ids }: Stored): Promise<string> {
  const directory = temporaryDirectory('run-');
  if (contender.file !== undefined && stored > 0) {
    const prepared = await prepare(contender, contender.file, { stored: storedFor(contender, stored), ids });
    for (const name of readdirSync(prepared)) copySynced(join(prepared, name), join(directory, name));
  }
  return directory;
}

/** How many plants a server is given where a workload asks for so many. */
export function storedFor({ file }: Contender, stored: number): number {
  return file === SEEDED_FILES.json ? Math.min(stored, MOST_IN_JSON) : stored;
}

async function prepare(
  contender: Contender,
  file: NonNullable<Contender['file']>,
  { stored, ids }: Stored,
): Promise<string> {
  const ours = contender === PLANT_STORE;
  // Between those stored: ids from a wider range would mostly fall outside, as if into an empty store.
  const idOf = ids === 'int64' ? randomInt64 : randomId;
  const sources = ['bench/{databases,ids}.ts', ours ? 'src/{stores,transfer,plants}/**/*.ts' : 'bench/peers/seed.ts'];
  const name = `${ours ? 'plant-store' : file}-${ids}-${stored}-`;
  const prepared = join(CACHE, name + fingerprint(sources));
  if (existsSync(prepared)) return prepared;
  for (const old of readdirSync(CACHE)) if (old.startsWith(name)) rmSync(join(CACHE, old), { recursive: true });
  const unfinished = temporaryDirectory('unfinished-');
  if (ours) await importPlants(unfinished, stored, idOf);
  else seed(unfinished, file, stored, randomId);
  // Another run beside this one may have made the same meanwhile.
  if (!existsSync(prepared)) renameSync(unfinished, prepared);
  return prepared;
}

/** Through the service's own import, as an operator would. */
async function importPlants(
  directory: string,
  stored: number,
  idOf: (index: number) => number | bigint,
): Promise<void> {
  const input = join(directory, 'plants.ndjson');
  const stream = createWriteStream(input);
  for (let index = 0; index < stored; index++) {
    const line = `{"id":${idOf(index)},"name":"Aloe vera ${index}","tag":"succulent"}\n`;
    if (!stream.write(line)) await once(stream, 'drain');
  }
  stream.end();
  await once(stream, 'finish');
  const database = `sqlite:${join(directory, 'plants.db')}`;
  await promisify(execFile)(join(ROOT, 'bin/plantstore'), ['import', input, '--database', database]);
  rmSync(input);
}

/** Synced, so that the copy's own writing to the disk is over before anything is measured. */
function copySynced(from: string, to: string): void {
  copyFileSync(from, to);
  const file = openSync(to, 'r+');
  fsyncSync(file);
  closeSync(file);
}

function temporaryDirectory(prefix: string): string {
  mkdirSync(CACHE, { recursive: true });
  const directory = mkdtempSync(join(CACHE, prefix));
  temporary.add(directory);
  return directory;
}

/** What a store writes changes with its sources: a file that others made would not be its own. */
function fingerprint(sources: readonly string[]): string {
  const hash = createHash('sha256');
  for (const path of globSync(sources, { cwd: ROOT }).sort()) hash.update(readFileSync(join(ROOT, path)));
  return hash.digest('hex').slice(0, 16);
}
