/** Owns the files of plants that the peers are started on. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SCHEMA } from './servers/plants.ts';

/** What the peers call their files; one of a kind suits every peer that names it. */
export const SEEDED_FILES = { sqlite: 'plants.db', json: 'plants.json' } as const;
export type SeededFile = (typeof SEEDED_FILES)[keyof typeof SEEDED_FILES];

const CACHE_KIB = 2 * 1024 * 1024;

/**
 * Fills a new file with so many plants, in the order in which their ids come: ids in no order leave the pages as full
 * as use would, where ascending ones would pack them. The json file is for small counts only: its server reads it whole.
 */
export function seed(directory: string, file: SeededFile, count: number, idOf: (index: number) => number): void {
  const path = join(directory, file);
  if (file === SEEDED_FILES.json) {
    const plants = Array.from({ length: count }, (_, index) => plantOf(index, idOf));
    writeFileSync(path, JSON.stringify({ plants }));
    return;
  }
  const database = new DatabaseSync(path);
  // Nothing is lost if the machine stops halfway: the file is made again.
  database.exec(
    `PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -${CACHE_KIB}; ${SCHEMA} BEGIN`,
  );
  const insert = database.prepare('INSERT INTO plants (id, name, tag) VALUES (?, ?, ?)');
  for (let index = 0; index < count; index++) {
    const { id, name, tag } = plantOf(index, idOf);
    insert.run(id, name, tag);
  }
  database.exec('COMMIT; PRAGMA journal_mode = WAL');
  database.close();
}

function plantOf(index: number, idOf: (index: number) => number): { id: number; name: string; tag: string } {
  return { id: idOf(index), name: `Aloe vera ${index}`, tag: 'succulent' };
}
