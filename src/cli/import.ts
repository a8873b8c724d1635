/** `plantstore import`: stores the plants of a file, of standard input or of the garden. The service may be running. */
import { statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartupError, StoreFailure } from '../errors.ts';
import type { StoreName } from '../plants/plant.ts';
import type { PlantStore } from '../plants/plant-store.ts';
import { withEngine } from '../stores/open.ts';
import type { Accepted, Refused } from '../transfer/new-plant.ts';
import { isStandardInput, openInput, type PlantInput } from '../transfer/open-input.ts';
import { alreadyThere, explainWriteErrors } from '../util/new-file.ts';
import { countOf, printable } from '../util/printable.ts';
import { command, type Stdio, UsageError } from './command-line.ts';
import { DATABASE, FORMAT, STORE, SWITCH } from './options.ts';
import { barOf, createStatusLine, print, type StatusLine, tell } from './output.ts';
import { besideOutputs, isStandardOutput } from './output-file.ts';
import { text } from './values.ts';

/** Each random id changes another page. With 1,000, other writes wait twice as long, and the import is no faster. */
const MAX_AT_RANDOM = 500;
/** A pause after each commit, so that others can write. It is longer than their pause between attempts to lock. */
const PAUSE_MS = 4;

const AGAIN = 'import it again: plants that are already stored are not stored twice';

export const importPlants = command({
  name: 'import',
  operand: '[FILE|-]',
  summary: 'Stores the plants of a file (NDJSON or CSV), of standard input (-), or of the garden',
  options: {
    database: DATABASE,
    garden: { ...SWITCH, help: 'Stores the garden of the demo, about 50 plants, instead of a file.' },
    store: STORE,
    format: FORMAT,
    refused: {
      read: text,
      value: 'FILE',
      help:
        'Where to list the lines that cannot be stored, each with its reason, or - for standard output. ' +
        'Default: standard error.',
    },
  },
  async run(config, stdio, path) {
    if ((path === undefined) !== config.garden) {
      throw new UsageError('import needs a file, or - for standard input, or --garden');
    }
    try {
      // Opened first, so that a missing file does not leave an empty database behind.
      const input = path === undefined ? await openGarden() : await openInput(path, stdio.stdin, config.format);
      return await withEngine(config.database, 'plants', true, async ({ plants }) => {
        const { refused } = config;
        await using file = await openReport(refused);
        const report = async (lines: readonly Refused[]) => {
          const listed = lines.map(({ line, reason }) => `${REPORT_LINE}${line}: ${printable(reason)}\n`).join('');
          if (refused === undefined) stdio.stderr.write(listed);
          else if (file === undefined) await print(stdio.stdout, listed);
          else await explainWriteErrors(refused, () => file.writeFile(listed));
        };
        const line = createStatusLine(stdio);
        // Opening a named pipe blocks until something writes to it. A signal then ends the process.
        if (input.progress !== undefined || isStandardInput(path)) exitWhenStopped(stdio, line);
        try {
          return await importAll(input, plants, config.store, report, line, besideOutputs(stdio, refused));
        } finally {
          line.clear();
        }
      });
    } catch (error) {
      if (!(error instanceof StoreFailure) || error.lasting) throw error;
      throw new StartupError(`${error.shown}; ${AGAIN}`, { cause: error });
    }
  },
});

async function openGarden(): Promise<PlantInput> {
  const { readGarden } = await import('../plants/garden.ts');
  return { batches: Readable.from([readGarden().map((plant, i) => ({ line: i + 1, plant }))]) };
}

/** Exits immediately when told to stop. Committed plants stay, and a repeated import stores the rest. */
function exitWhenStopped({ stopped, stderr, exit }: Stdio, line: StatusLine): void {
  void stopped().then(() => {
    line.clear();
    tell(stderr, `plantstore: stopped; ${AGAIN}`, () => exit(1));
  });
}

/** Resolves to 0 if every plant is stored, and to 1 if a line was refused. */
async function importAll(
  { batches, progress }: PlantInput,
  plants: PlantStore,
  store: StoreName,
  report: (lines: readonly Refused[]) => Promise<void>,
  status: StatusLine,
  { stdout }: Stdio,
): Promise<number> {
  let [created, same, refused] = [0, 0, 0];
  const began = performance.now();
  for await (const batch of batches) {
    const lines = batch.filter((entry) => 'reason' in entry);
    for (const part of partsOf(batch.filter((entry) => 'plant' in entry))) {
      const results = await plants.createMany(
        store,
        part.map(({ plant }) => plant),
      );
      part.forEach(({ line, plant }, i) => {
        if (results[i] === 'created') created += 1;
        else if (results[i] === 'same') same += 1;
        else lines.push({ line, reason: `id ${plant.id} is already taken by a different plant` });
      });
      await sleep(PAUSE_MS);
    }
    refused += lines.length;
    status.clear();
    await report(lines.sort((a, b) => a.line - b.line));
    const bar = progress === undefined ? '' : barOf(progress());
    const rate = Math.round((created + same) / ((performance.now() - began) / 1_000));
    status.show(`${bar}${countOf(created + same, 'plant')}, ${rate.toLocaleString('en-US')} per second`);
  }
  status.clear();
  const [stored, there, not] = [created, same, refused].map((count) => count.toLocaleString('en-US'));
  await print(stdout, `${stored} created, ${there} already existed, ${not} refused\n`);
  return refused === 0 ? 0 : 1;
}

/** Splits plants into commits by ascending id: neighbours share pages. If two lines have one id, the first wins. */
function partsOf(accepted: readonly Accepted[]): readonly (readonly Accepted[])[] {
  const isInOrder = accepted.every((entry, i) => i === 0 || compareIds(accepted[i - 1] ?? entry, entry) <= 0);
  const sorted = isInOrder ? accepted : accepted.toSorted(compareIds);
  const size = isInOrder ? accepted.length : MAX_AT_RANDOM;
  const parts = [];
  for (let from = 0; from < sorted.length; from += size) parts.push(sorted.slice(from, from + size));
  return parts;
}

function compareIds({ plant: { id: a } }: Accepted, { plant: { id: b } }: Accepted): number {
  return Number(a > b) - Number(a < b);
}

const REPORT_LINE = 'line ';

/** Opens a file for the refused lines, which is new, empty or an earlier report. Undefined for a standard stream. */
async function openReport(path: string | undefined): Promise<FileHandle | undefined> {
  if (path === undefined || isStandardOutput(path)) return undefined;
  const isFile = (await explainWriteErrors(path, () => statSync(path, { throwIfNoEntry: false })))?.isFile() ?? true;
  // A pipe or a device cannot be read back.
  const file = await explainWriteErrors(path, () => open(path, isFile ? 'a+' : 'w'));
  if (!isFile) return file;
  const { buffer, bytesRead } = await file.read(Buffer.alloc(REPORT_LINE.length), { position: 0 });
  // The path may be the input or the database by mistake, so other files are left alone.
  if (!REPORT_LINE.startsWith(buffer.toString('latin1', 0, bytesRead))) {
    await file.close();
    throw alreadyThere(path);
  }
  await file.truncate();
  return file;
}
