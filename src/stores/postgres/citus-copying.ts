/**
 * Inserts and saves all plants of a store on a Citus cluster. Citus would move rows that a statement selects to the
 * node of the session, so the rows pass through this process, and each statement goes to the node of the store.
 */
import { readPlants, writePlants } from '../../plants/plants-json.ts';
import type { Copying, SavedPlant } from './replace-all.ts';
import type { Query } from './session.ts';

const INSERT = `
  INSERT INTO plants (store, id, name, tag, tag_digest, version)
  VALUES (CAST($1 AS text), unnest(CAST($3 AS int8[])), unnest(CAST($4 AS text[])), unnest(CAST($5 AS text[])),
    unnest(CAST($6 AS int8[])), CAST($2 AS int8))`;
const SELECT_SAVED = 'SELECT plants FROM snapshots WHERE store = $1 AND number = $2';
const SELECT = 'SELECT id, name, tag, tag_digest FROM plants WHERE store = $1 ORDER BY id';
const SAVE = `
  INSERT INTO snapshots (store, number, at, plant_count, plant_bytes, plants) VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT DO NOTHING RETURNING number`;

export const copyingOnCitus: Copying = {
  async insert(query, { store, plants, version }) {
    const rows = typeof plants === 'number' ? await readSaved(query, store, plants) : plants;
    if (rows.length === 0) return;
    const columns = (['id', 'name', 'tag', 'digest'] as const).map((column) => rows.map((row) => row[column]));
    await query(INSERT, [store, version, ...columns]);
  },
  async save(query, store, { number, at, mostBytes }, quota) {
    const rows = await query(SELECT, [store]);
    const plants = writePlants(rows.map(([id, name, tag, digest]) => ({ id, name, tag, digest }) as SavedPlant));
    if (Buffer.byteLength(plants) > mostBytes) return false;
    return (await query(SAVE, [store, number, at, quota.plants, quota.bytes, plants])).length > 0;
  },
};

async function readSaved(query: Query, store: string, number: number): Promise<readonly SavedPlant[]> {
  const [saved] = await query(SELECT_SAVED, [store, number]);
  return saved === undefined ? [] : readPlants(String(saved[0]));
}
