/** Every plant of a store as it was at one moment, read on a connection of its own. */
import type { StoredPlant } from '../../plants/plant.ts';
import { connectFirst, type Server } from './database.ts';
import { translate } from './failures.ts';
import { readPage } from './plants.ts';
import type { Query } from './session.ts';

/** The longest that reading a page may take, in milliseconds: no client waits for it. */
const TIMEOUT_MS = 30_000;
const PAGE_SIZE = 2_000;

/** Pages of one REPEATABLE READ transaction, which sees one moment. */
export async function* snapshot(server: Server, store: string): AsyncGenerator<readonly StoredPlant[]> {
  const session = await connectFirst(server, TIMEOUT_MS);
  const query: Query = (text, values) => session.ask(text, values);
  try {
    await begin(query);
    let last: bigint | undefined;
    for (;;) {
      const page = await readPage(query, store, last, PAGE_SIZE);
      if (page.length === 0) return;
      yield page;
      last = page.at(-1)?.id;
    }
  } catch (error) {
    throw translate(error);
  } finally {
    await session.end();
  }
}

async function begin(query: Query): Promise<void> {
  await query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  // The reader of an export may be slow: a server set to end idle or long transactions (17 and newer) would cut it off.
  await query(`SELECT set_config(name, '0', true) FROM pg_settings
    WHERE name IN ('idle_in_transaction_session_timeout', 'transaction_timeout')`);
}
