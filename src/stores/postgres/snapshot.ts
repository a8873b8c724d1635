/** Every plant of a store as it was at one moment, read on a connection of its own. */
import type { StoredPlant } from '../../plants/plant.ts';
import { connectFirst, type Server } from './database.ts';
import { translate } from './failures.ts';
import { readPage } from './plants.ts';
import type { Query } from './session.ts';

/** The longest that reading a page may take, in milliseconds: no client waits for it. */
const TIMEOUT_MS = 30_000;
const PAGE_SIZE = 2_000;

/** Pages of one REPEATABLE READ transaction, which sees one moment; the next is read while one is used. */
export async function* snapshot(server: Server, store: string): AsyncGenerator<readonly StoredPlant[]> {
  const session = await connectFirst(server, TIMEOUT_MS);
  const query: Query = (statement, values) => session.ask(statement, values, performance.now() + TIMEOUT_MS);
  const page = (after: bigint | undefined) => {
    const read = readPage(query, store, after, PAGE_SIZE);
    // Awaited below; a rejection before that must not end the process.
    read.catch(() => undefined);
    return read;
  };
  let next: Promise<readonly StoredPlant[]> | undefined;
  try {
    await begin(query);
    next = page(undefined);
    while (next !== undefined) {
      const plants: readonly StoredPlant[] = await next;
      next = plants.length < PAGE_SIZE ? undefined : page(plants.at(-1)?.id);
      if (plants.length > 0) yield plants;
    }
  } catch (error) {
    throw translate(error);
  } finally {
    await next?.catch(() => undefined);
    await session.end();
  }
}

async function begin(query: Query): Promise<void> {
  await query({ name: '', text: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY' }, []);
  // The reader of an export may be slow: a server set to end idle or long transactions (17 and newer) would cut it off.
  const text = `SELECT set_config(name, '0', true) FROM pg_settings
    WHERE name IN ('idle_in_transaction_session_timeout', 'transaction_timeout')`;
  await query({ name: '', text }, []);
}
