/** Plants in a file, through bun:sqlite. */
import { Database } from 'bun:sqlite';
import { type Plants, PRAGMAS, plantsOn, SCHEMA } from './plants.ts';

export function openPlants(file: string): Plants {
  const database = new Database(file, { create: true });
  for (const pragma of PRAGMAS) database.run(`PRAGMA ${pragma}`);
  database.run(SCHEMA);
  return plantsOn((sql) => database.prepare(sql));
}
