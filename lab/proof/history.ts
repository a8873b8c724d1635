/** What plants should be, and what a database has. */
import type { Engine } from '../../src/feature.ts';
import { openForCommand, withEngine } from '../../src/stores/open.ts';

/** The contents of one thing, one after another, each with the operation that led to it. No content: it was deleted. */
export type States = readonly (readonly [operation: string, content: string | null])[];

/** By id. */
export type Plants = Readonly<Record<string, States>>;

export const contentOf = ({ name, tag }: { readonly name: string; readonly tag?: string | undefined }): string =>
  JSON.stringify([name, tag ?? null]);

/** Returns the content of a store, independent of the order. */
export const contentsOf = (plants: Iterable<readonly [id: string, content: string]>): string =>
  JSON.stringify([...plants].sort(([a], [b]) => a.localeCompare(b)));

/**
 * Returns the contents that are right at one moment between two times: everything confirmed before the first must have
 * happened, and only what was sent before the second can have happened. A client sends one operation after another, so
 * only the operation after the last confirmed one can have been sent. `confirmed` returns the time of a confirmation.
 */
export function allowed(
  states: States,
  [from, to]: readonly [number, number],
  confirmed: (operation: string) => number,
): readonly (string | null)[] {
  const lastBefore = (time: number) => states.findLastIndex(([operation]) => confirmed(operation) <= time);
  const first = lastBefore(from);
  const contents = states.slice(Math.max(first, 0), lastBefore(to) + 2).map(([, content]) => content);
  return first < 0 ? [null, ...contents] : contents;
}

/** Compares the plants that were found with those that are allowed. Returns a line for each that is wrong. */
export function compare(
  plants: Plants,
  found: ReadonlyMap<string, string>,
  between: readonly [number, number],
  confirmed: (operation: string) => number,
): readonly string[] {
  const wrong = Object.entries(plants)
    .filter(([id, states]) => !allowed(states, between, confirmed).includes(found.get(id) ?? null))
    .map(([id]) => `plant ${id} is ${found.get(id) ?? 'gone'}, not as confirmed`);
  const unknown = [...found.keys()].filter((id) => plants[id] === undefined);
  return [...wrong, ...unknown.map((id) => `plant ${id} was never created`)];
}

/** Opens a SQLite file as the next start would, checks all of it, and reads from it. `upgrade`: may it be changed? */
export async function readFile<T>(path: string, upgrade: boolean, work: (engine: Engine) => Promise<T>): Promise<T> {
  if (upgrade) await withEngine(`sqlite:${path}`, 'tokens', true, async () => undefined);
  const engine = await openForCommand(`sqlite:${path}`, 'read', false);
  try {
    const { problems } = await engine.check();
    if (problems.length > 0) throw new Error(problems.join('; '));
    return await work(engine);
  } finally {
    await engine.close();
  }
}

/** Reads all plants of a store, by id. */
export async function plantsOf(engine: Engine, store = 'default'): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for await (const plants of engine.plants.readAll(store)) {
    for (const plant of plants) found.set(String(plant.id), contentOf(plant));
  }
  return found;
}

/**
 * Compares the plants of a store with its events: applying them in order to nothing must give the plants, and no number
 * may be missing. Returns a line for each difference. For a store whose events were never removed.
 */
export async function compareEvents(engine: Engine, plants: ReadonlyMap<string, string>): Promise<readonly string[]> {
  const PAGE = 1_000;
  const applied = new Map<string, string>();
  const wrong: string[] = [];
  for (let last = 0n, isMore = true; isMore; ) {
    const events = await engine.plants.events('default', last, PAGE);
    for (const { number, kind, id, name, tag } of events) {
      if (number !== last + 1n) wrong.push(`after event ${last} comes event ${number}`);
      last = number;
      if (kind === 'deleted') applied.delete(String(id));
      else applied.set(String(id), contentOf({ name: name ?? '', tag: tag ?? undefined }));
    }
    isMore = events.length === PAGE;
  }
  for (const id of new Set([...plants.keys(), ...applied.keys()])) {
    if (plants.get(id) !== applied.get(id)) wrong.push(`plant ${id} is not as its events tell`);
  }
  return wrong;
}
