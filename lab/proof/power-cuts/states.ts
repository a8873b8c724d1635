/** Checks the files that a power cut left: opens them as the service does, and looks for all that was confirmed. */
import { mkdirSync, mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  allowed,
  compare,
  compareEvents,
  contentOf,
  contentsOf,
  type Plants,
  plantsOf,
  readFile,
  type States,
} from '../history.ts';
import type { Violations } from '../outcome.ts';

const FIXTURE = readFileSync(`${import.meta.dirname}/../upgrade/fixtures/plants.ndjson`, 'utf8');
const OLD = ['old/1.0.0.db'];

/** What the workload did. */
export interface History {
  /** The plants of the store `default`. */
  readonly plants: Plants;
  /** The plants of a sandbox, which a reset changes as a whole. */
  readonly sandbox: { readonly id: string; readonly states: States };
}

/** The files at one moment, and what was confirmed by then. */
export interface State {
  /** The files and folders that are left, by their path below the root. */
  readonly files: ReadonlyMap<string, Buffer | 'folder'>;
  readonly time: number;
  readonly phase: string;
}

/** What happened when, by the number of the event. Infinity: never. */
export interface Times {
  /** When an operation was confirmed. */
  confirmed(operation: string): number;
  /** When a phase began first. */
  began(phase: string): number;
}

/** Returns the number of plants that were looked for. `memory`: a folder for the files. */
export async function checkState(
  { files, time, phase }: State,
  { history, times, memory, violations }: { history: History; times: Times; memory: string; violations: Violations },
): Promise<number> {
  using folder = mkdtempDisposableSync(join(memory, 'plantstore-cut-'));
  const at = (name: string) => join(folder.path, name);
  for (const [path, content] of files) {
    if (content === 'folder') mkdirSync(at(path), { recursive: true });
    else writeFileSync(at(path), content);
  }
  let lookups = 0;
  const complain = (text: string) => violations.add(`a power cut at event ${time} (${phase}): ${text}`);

  const comparePlants = (what: string, found: ReadonlyMap<string, string>, between: readonly [number, number]) => {
    lookups += Object.keys(history.plants).length;
    for (const text of compare(history.plants, found, between, times.confirmed)) complain(`${what}: ${text}`);
  };

  const checkDatabase = async () => {
    if (!files.has('data/plants.db')) {
      if (times.confirmed('sandbox') < time) complain('the database is gone');
      return;
    }
    await readFile(at('data/plants.db'), true, async (engine) => {
      const plants = await plantsOf(engine);
      comparePlants('the database', plants, [time, time]);
      for (const text of await compareEvents(engine, plants)) complain(text);
      const { id, states } = history.sandbox;
      const [row] = await engine.statements.read('SELECT store FROM sandboxes WHERE id = $1', [id]);
      const found = row === undefined ? null : contentsOf(await plantsOf(engine, String(row[0])));
      lookups++;
      if (!allowed(states, [time, time], times.confirmed).includes(found)) complain(`the sandbox has ${found}`);
    });
  };

  /** A copy must exist once it was confirmed. Whenever it exists, it must be whole. */
  const checkCopy = async (copy: 'backup' | 'export', name: string) => {
    const finished = times.confirmed(copy);
    if (files.has(name)) {
      const found =
        copy === 'export' ? readExport(at(name)) : await readFile(at(name), false, (engine) => plantsOf(engine));
      comparePlants(name, found, [times.began(copy === 'export' ? 'an export' : 'a backup'), Math.min(time, finished)]);
    } else if (finished < time) complain(`${name} is gone`);
  };

  const checkOld = async (name: string) => {
    if (!files.has(name)) return complain(`${name} is gone`);
    await readFile(at(name), true, async (engine) => {
      const found = await plantsOf(engine);
      lookups += found.size;
      const lines = FIXTURE.trimEnd()
        .split('\n')
        .map((line) => /"id":(-?\d+)/.exec(line)?.[1] ?? '');
      for (const id of lines) if (!found.has(id)) complain(`${name} has lost plant ${id}`);
    });
  };

  const attempt = (what: string, work: () => Promise<void>) =>
    work().catch((error: unknown) =>
      complain(`${what} cannot be read: ${Error.isError(error) ? error.message : error}`),
    );
  await attempt('the database', checkDatabase);
  if (phase === 'a backup' || phase === 'an export') {
    await attempt('the backup', () => checkCopy('backup', 'copy.db'));
    await attempt('the export', () => checkCopy('export', 'copy.ndjson'));
  }
  if (phase === 'migrations') for (const name of OLD) await attempt(name, () => checkOld(name));
  return lookups;
}

/** Reads an export. The last line must be whole too. */
function readExport(path: string): Map<string, string> {
  const lines = readFileSync(path, 'utf8').split('\n');
  if (lines.pop() !== '') throw new Error('the last line is not whole');
  return new Map(
    lines.map((line) => [
      /"id":(-?\d+)/.exec(line)?.[1] ?? '',
      contentOf(JSON.parse(line) as { readonly name: string; readonly tag?: string }),
    ]),
  );
}
