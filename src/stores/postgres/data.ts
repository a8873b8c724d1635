/** Owns the shared engine's side of the data commands, on connections of their own beside the services that run on. */
import type { StoredPlant } from '../../plants/plant.ts';
import type { Data } from '../data.ts';
import { openBulkWriter } from './bulk-writer.ts';
import { faultsOf } from './check.ts';
import type { Connection } from './connection.ts';
import { connectFirst, onFirstConnection, readServer, type Server } from './database.ts';
import { translate } from './failures.ts';
import { prepareTables } from './migrations.ts';
import { readPage } from './plants.ts';

/** The longest that one statement of an import or an export may take: nobody waits for it as for an answer. */
const BOUND_MS = 30_000;
/** The same for a statement that reads a whole table. */
const CHECK_BOUND_MS = 6 * 3_600_000;
/** Plants read at once. */
const PIECE = 2_000;

/** Opens the database of a postgres:// URL, and makes its tables where there are none. Throws a StartupError. */
export async function openPostgresData(url: string, random: () => number): Promise<Data> {
  const server = readServer(url, BOUND_MS);
  await onFirstConnection(server, BOUND_MS, (connection) => prepareTables(connection, true, BOUND_MS, random));
  return {
    location: server.location,
    bulkWriter: (store) => openBulkWriter(server, store, BOUND_MS, random),
    close: async () => undefined,
  };
}

/** What is wrong with the rows, read on a connection of its own. */
export async function check(url: string): Promise<readonly string[]> {
  const connection = await connectFirst(readServer(url, CHECK_BOUND_MS), BOUND_MS);
  try {
    return await faultsOf(connection, CHECK_BOUND_MS);
  } catch (error) {
    throw translate(error);
  } finally {
    await connection.close();
  }
}

/** Pages of one REPEATABLE READ transaction, which sees one moment; the next is asked for while one is written. */
export async function* snapshot(server: Server, store: string): AsyncGenerator<readonly StoredPlant[]> {
  const connection = await connectFirst(server, BOUND_MS);
  let next: Promise<readonly StoredPlant[]> | undefined;
  try {
    await begin(connection);
    const page = (after: bigint | undefined) => {
      const read = readPage((statement, values) => connection.query(statement, values, inTime()), store, after, PIECE);
      // Awaited below; a rejection before that must not end the process.
      read.catch(() => undefined);
      return read;
    };
    next = page(undefined);
    while (next !== undefined) {
      const plants: readonly StoredPlant[] = await next;
      next = plants.length < PIECE ? undefined : page(plants.at(-1)?.id);
      if (plants.length > 0) yield plants;
    }
  } catch (error) {
    throw translate(error);
  } finally {
    await next?.catch(() => undefined);
    await connection.close();
  }
}

async function begin(connection: Connection): Promise<void> {
  const run = (text: string) => connection.query({ name: '', text }, [], inTime());
  await run('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  // The reader of an export may be slow: a server set to end idle or long transactions (17 and newer) would cut it off.
  await run(
    `SELECT set_config(name, '0', true) FROM pg_settings
     WHERE name IN ('idle_in_transaction_session_timeout', 'transaction_timeout')`,
  );
}

function inTime(): number {
  return performance.now() + BOUND_MS;
}
