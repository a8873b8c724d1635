/** The import's writer on a file, until the import writes by `PlantStore.createMany`. */
import type { Data } from '../data.ts';
import { openBulkWriter } from './bulk-writer.ts';
import { prepareFile } from './database.ts';

export function openSqliteData(path: string): Data {
  prepareFile(path);
  return { location: path, bulkWriter: (store) => openBulkWriter(path, store), close: async () => undefined };
}
