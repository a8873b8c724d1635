/** The import's writer on a server, until the import writes by `PlantStore.createMany`. */
import type { Data } from '../data.ts';
import { openBulkWriter } from './bulk-writer.ts';
import { onFirstConnection, readServer } from './database.ts';
import { prepareTables } from './migrations.ts';

const TIMEOUT_MS = 30_000;

export async function openPostgresData(url: string, random: () => number): Promise<Data> {
  const server = readServer(url, TIMEOUT_MS);
  await onFirstConnection(server, TIMEOUT_MS, (query) => prepareTables(query, true, TIMEOUT_MS, random));
  return {
    location: server.location,
    bulkWriter: (store) => openBulkWriter(server, store, TIMEOUT_MS, random),
    close: async () => undefined,
  };
}
