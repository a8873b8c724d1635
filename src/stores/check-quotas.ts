/** Compares what the rows of `quotas` count with the plants of their stores, for `plantstore check`. */
import { MAX_REPORTED } from './check-rules.ts';
import type { SqlRow, SqlValue } from './engine.ts';
import { sizeOf } from './plant-size.ts';

type Read = (sql: string, values: readonly SqlValue[]) => readonly SqlRow[] | Promise<readonly SqlRow[]>;

/** The names of the next stores. Counting them together needs memory for each length of a text. */
const NEXT = 'SELECT store FROM quotas WHERE store > $1 ORDER BY store LIMIT 100';

/**
 * `select`: selects the stores with names above $1 and up to $2, with what their quotas count, and the number of their
 * plants for each pair of lengths of name and tag. One statement reads all of it as of one moment, so writers can
 * continue.
 */
export async function checkQuotas(read: Read, select: string): Promise<readonly string[]> {
  const problems: string[] = [];
  let last = '';
  while (problems.length < MAX_REPORTED) {
    const next = (await read(NEXT, [last])).at(-1)?.[0];
    if (next === undefined) break;
    problems.push(...problemsOf(await read(select, [last, String(next)])));
    last = String(next);
  }
  return problems.slice(0, MAX_REPORTED);
}

function problemsOf(rows: readonly SqlRow[]): readonly string[] {
  const stores = new Map<string, { counted: string; plants: number; bytes: number }>();
  for (const [store, countedPlants, countedBytes, name, tag, count] of rows) {
    const known = stores.get(String(store)) ?? { counted: textOf(countedPlants, countedBytes), plants: 0, bytes: 0 };
    const plants = Number(count);
    const size = plants === 0 ? 0 : sizeOf(Number(name), tag === null ? undefined : Number(tag));
    stores.set(String(store), { ...known, plants: known.plants + plants, bytes: known.bytes + plants * size });
  }
  return [...stores].flatMap(([store, { counted, plants, bytes }]) =>
    counted === textOf(plants, bytes)
      ? []
      : [`quota of store ${store}: it counts ${counted}, but the store has ${textOf(plants, bytes)}`],
  );
}

function textOf(plants: unknown, bytes: unknown): string {
  return `${plants} plants of ${bytes} bytes`;
}
