/** `plantstore import`: stores the plants of a file or of standard input, while the service runs on. */
import { closeSync, openSync, readSync, statSync, writeFileSync } from 'node:fs';
import { StartupError, StoreFailure } from '../errors.ts';
import { alreadyThere, writing } from '../new-file.ts';
import { PlantColumnsBuilder } from '../plants/plant-columns.ts';
import type { BulkWriter, Mark } from '../stores/data.ts';
import { openData } from '../stores/open.ts';
import type { Chunk, Refusal } from '../transfer/chunk.ts';
import { openInput, type PlantInput } from '../transfer/input.ts';
import { createNewPlantReader } from '../transfer/new-plant.ts';
import { type Config, command, type Stdio, UsageError } from './command-line.ts';
import { importOptions } from './options.ts';
import { createProgress, type Progress, print } from './output.ts';

const about = {
  name: 'import',
  operand: 'FILE|-',
  summary: 'Stores the plants of a file (NDJSON or CSV), or of standard input if the file is -',
  options: importOptions,
};

export const importPlants = command(about, runImport);

interface Counts {
  stored: number;
  same: number;
  refused: number;
}

/** Resolves to 0 when every plant is stored, 1 when a line was refused or the import was stopped. */
async function runImport(
  config: Config<typeof importOptions>,
  stdio: Stdio,
  path: string | undefined,
): Promise<number> {
  if (path === undefined) throw new UsageError('import needs a file, or - for standard input');
  const data = await openData(config.database);
  const writer = data.bulkWriter(config.store);
  try {
    const input = await openInput(path, stdio.stdin, config.format, config.store, (key) =>
      config.restart ? Promise.resolve(undefined) : writer.mark(key),
    );
    if (input.resumed > 1) stdio.stderr.write(`Going on at line ${input.resumed}, where the last import stopped.\n`);
    const report = openReport(config.refused, input.resumed > 1, stdio);
    const progress = createProgress(stdio.stderr, input.size);
    try {
      return await store(input, writer, report, progress, stdio);
    } finally {
      progress.clear();
      report.close();
    }
  } catch (error) {
    if (isReadFault(error)) throw new StartupError(`cannot read ${path}: ${error.code}`, { cause: error });
    if (error instanceof StoreFailure) {
      throw new StartupError(`${error.message}${error.lasting ? '' : '; start again to go on'}`, { cause: error });
    }
    throw error;
  } finally {
    await writer.close();
    await data.close();
  }
}

/** Chunks are parsed while the one before is being stored. */
async function store(
  input: PlantInput,
  writer: BulkWriter,
  report: Report,
  progress: Progress,
  stdio: Stdio,
): Promise<number> {
  const counts: Counts = { stored: 0, same: 0, refused: input.refusedBefore };
  let stopped = false;
  const stop = () => {
    stopped = true;
    // While it waits for input, the loop below would not notice `stopped`.
    stdio.stdin.destroy();
  };
  // An input that holds cannot be woken, so a signal ends the process at once: a new import reads the same lines again.
  if (!input.holds) void stdio.stopped().then(stop);
  let underWay: Promise<void> | undefined;
  try {
    for await (const chunk of input.chunks(createNewPlantReader())) {
      await underWay;
      if (stopped) break;
      // The mark kept with this chunk leads only to its beginning, so that after a cut its refusals are told again: better
      // twice than never.
      underWay = storeChunk(chunk, writer, counts, input.markBefore(counts.refused)).then((refusals) => {
        progress.clear();
        report.add(refusals);
        progress.show(chunk.end.byte, counts.stored + counts.same);
      });
      // Awaited above; a rejection before that must not end the process.
      underWay.catch(() => undefined);
      input.passed(chunk);
    }
  } catch (error) {
    if (!stopped) throw error;
  } finally {
    await underWay;
  }
  progress.clear();
  if (stopped) {
    // The refusals of the last chunk are in the report, to which only an import that goes on may add.
    const mark = input.markBefore(counts.refused);
    if (mark !== undefined) await writer.write(new PlantColumnsBuilder(0, 0).take(), mark);
    stdio.stderr.write('plantstore: stopped; start again to go on\n');
    return 1;
  }
  if (input.key !== undefined) await writer.forget(input.key);
  await print(stdio.stdout, `${summary(counts)}\n`);
  return counts.refused === 0 ? 0 : 1;
}

/** Resolves to the lines that were refused. */
async function storeChunk(
  chunk: Chunk,
  writer: BulkWriter,
  counts: Counts,
  mark: Mark | undefined,
): Promise<readonly Refusal[]> {
  const { plants, lines } = chunk;
  const outcome = await writer.write(plants, mark);
  const taken = outcome.taken.map((at) => ({
    line: lines[at] as number,
    reason: `id ${plants.ids[at]} is already taken by a different plant`,
  }));
  const refusals = [...chunk.refusals, ...taken].sort((a, b) => a.line - b.line);
  counts.stored += outcome.stored;
  counts.same += plants.length - outcome.stored - taken.length;
  counts.refused += refusals.length;
  return refusals;
}

function isReadFault(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'code' in error && !('errcode' in error);
}

interface Report {
  add(refusals: readonly Refusal[]): void;
  close(): void;
}

/** Every line of a report begins so. */
const REFUSED_LINE = 'line ';

/** To standard error, or to a new file; an import that goes on where it stopped adds to the one it has. */
function openReport(path: string | undefined, resumed: boolean, { stderr }: Stdio): Report {
  const text = (refusals: readonly Refusal[]) =>
    refusals.map(({ line, reason }) => `${REFUSED_LINE}${line}: ${reason}\n`).join('');
  if (path === undefined) return { add: (refusals) => void stderr.write(text(refusals)), close: () => undefined };
  const isFile = writing(path, () => statSync(path, { throwIfNoEntry: false }))?.isFile() === true;
  if (isFile && !(resumed && isReport(path))) throw alreadyThere(path);
  const file = writing(path, () => openSync(path, 'a'));
  return { add: (refusals) => writing(path, () => writeFileSync(file, text(refusals))), close: () => closeSync(file) };
}

/** What it begins with tells it from an input, a database and whatever else a slip of the hand may name. */
function isReport(path: string): boolean {
  const begin = Buffer.alloc(REFUSED_LINE.length);
  const file = openSync(path, 'r');
  try {
    return REFUSED_LINE.startsWith(begin.toString('latin1', 0, readSync(file, begin)));
  } finally {
    closeSync(file);
  }
}

function summary({ stored, same, refused }: Counts): string {
  const number = (value: number) => value.toLocaleString('en-US');
  return `${number(stored)} stored, ${number(same)} there already, ${number(refused)} refused`;
}
