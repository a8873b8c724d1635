/** Plants in a file, through bun:sqlite. */
import { Database } from 'bun:sqlite';
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
  const database = new Database(file, { create: true });
  for (const pragma of PRAGMAS) database.run(`PRAGMA ${pragma}`);
  database.run(SCHEMA);
  const insert = database.prepare<never, [number, string, string | null]>(INSERT);
  const select = database.prepare<Row, [number]>(SELECT);
  const selectFirst = database.prepare<Row, [number]>(SELECT_FIRST);
  const selectTagged = database.prepare<Row, [string, number]>(SELECT_TAGGED);
  const update = database.prepare<never, [string, string | null, number]>(UPDATE);

  function get(id: number) {
    const row = select.get(id);
    return row === null ? undefined : plantOf(row);
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
