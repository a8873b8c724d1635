/** Owns the embedded engine's side of the data commands. Each opens the file itself, while the service runs on. */
import type { DatabaseSync } from 'node:sqlite';
import type { StoredPlant } from '../../plants/plant.ts';
import type { Data } from '../data.ts';
import { backupTo } from './backup.ts';
import { openBulkWriter } from './bulk-writer.ts';
import { faultsOf } from './check.ts';
import { openConnection, openExisting, prepareFile, refuseDamage, usable } from './database.ts';
import { translate } from './failures.ts';
import { stored } from './plants.ts';

/** Plants read at once. */
const PIECE = 1_000;

/** Opens the file at `path`; `create` makes one where there is none. Throws a StartupError when it cannot be used. */
export function openSqliteData(path: string, create: boolean): Data {
  if (create) prepareFile(path);
  const database = create ? usable(path, () => openConnection(path)) : openExisting(path);
  return {
    location: path,
    bulkWriter: (store) => openBulkWriter(path, store),
    snapshot(store) {
      refuseDamage(path);
      return snapshot(database, store);
    },
    backup: (destination) => backupTo(database, destination),
    check: () => faultsOf(database),
    async close() {
      database.close();
    },
  };
}

/** One statement is one read transaction: what is committed meanwhile is not seen (https://sqlite.org/isolation.html). */
function* snapshot(database: DatabaseSync, store: string): Generator<readonly StoredPlant[]> {
  const select = database.prepare(
    'SELECT id, name, tag FROM plants WHERE store = (SELECT number FROM stores WHERE name = ?) ORDER BY id',
  );
  select.setReadBigInts(true);
  select.setReturnArrays(true);
  let piece: StoredPlant[] = [];
  try {
    for (const row of select.iterate(store)) {
      piece.push(stored(row as unknown as readonly unknown[]));
      if (piece.length < PIECE) continue;
      yield piece;
      piece = [];
    }
  } catch (error) {
    throw translate(error);
  }
  if (piece.length > 0) yield piece;
}
