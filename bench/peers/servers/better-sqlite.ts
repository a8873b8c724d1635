/** Plants in a file, through better-sqlite3. */
import Database from 'better-sqlite3';
import {
  INSERT,
  isSame,
  type Plants,
  PRAGMAS,
  plantOf,
  type Row,
  SCHEMA,
  SELECT,
  SELECT_FIRST,
  SELECT_TAGGED,
  UPDATE,
} from './plants.ts';

export function openPlants(file: string): Plants {
  const database = new Database(file);
  for (const pragma of PRAGMAS) database.pragma(pragma);
  database.exec(SCHEMA);
  const insert = database.prepare<[number, string, string | null]>(INSERT);
  const select = database.prepare<[number], Row>(SELECT);
  const selectFirst = database.prepare<[number], Row>(SELECT_FIRST);
  const selectTagged = database.prepare<[string, number], Row>(SELECT_TAGGED);
  const update = database.prepare<[string, string | null, number]>(UPDATE);

  function get(id: number) {
    const row = select.get(id);
    return row && plantOf(row);
  }

  return {
    create(plant) {
      if (insert.run(plant.id, plant.name, plant.tag ?? null).changes === 1) return true;
      const taken = get(plant.id);
      return taken !== undefined && isSame(taken, plant);
    },
    get,
    list: (limit, tag) => (tag === undefined ? selectFirst.all(limit) : selectTagged.all(tag, limit)).map(plantOf),
    replace: ({ id, name, tag }) => update.run(name, tag ?? null, id).changes === 1,
  };
}
