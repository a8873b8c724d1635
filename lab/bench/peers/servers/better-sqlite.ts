/** Plants in a file, through better-sqlite3. */
import Database from 'better-sqlite3';
import { type Plants, plantsOn } from './plants.ts';

export function openPlants(file: string, token: string): Plants {
  const database = new Database(file).defaultSafeIntegers();
  return plantsOn({ exec: (sql) => database.exec(sql), prepare: (sql) => database.prepare<unknown[]>(sql) }, token);
}
