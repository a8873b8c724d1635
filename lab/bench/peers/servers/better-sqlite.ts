/** Plants in a file, through better-sqlite3. */
import Database from 'better-sqlite3';
import { type Plants, PRAGMAS, plantsOn, SCHEMA } from './plants.ts';

export function openPlants(file: string): Plants {
  const database = new Database(file);
  for (const pragma of PRAGMAS) database.pragma(pragma);
  database.exec(SCHEMA);
  return plantsOn((sql) => database.prepare<unknown[]>(sql));
}
