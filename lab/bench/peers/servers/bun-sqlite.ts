/** Plants in a file, through bun:sqlite. */
import { Database } from 'bun:sqlite';
import { type Plants, plantsOn } from './plants.ts';

export function openPlants(file: string, token: string): Plants {
  const database = new Database(file, { create: true, safeIntegers: true });
  return plantsOn({ exec: (sql) => database.run(sql), prepare: (sql) => database.prepare(sql) }, token);
}
